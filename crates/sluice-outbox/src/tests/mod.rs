//! The outbox on a real store, with receivers on this machine and a clock that tests set.

mod breakers;
mod claims;
mod clock;
mod fixtures;
mod journal;
mod lease;
mod notifications;
mod panics;
mod recording;
mod sends;
mod webhook_health;
mod webhooks;
