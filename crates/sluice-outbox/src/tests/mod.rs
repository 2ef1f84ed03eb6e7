//! The outbox on a real store, with receivers on this machine and a clock that tests set.

mod clock;
mod fixtures;
mod panics;
mod recording;
mod sends;
mod webhooks;
