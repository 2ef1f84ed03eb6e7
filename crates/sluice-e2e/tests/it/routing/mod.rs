//! Who gets an event: sources that listen, loops, and events that wait for their time. Webhooks have tests of their own.

mod delivery_ts;
pub(crate) mod fixtures;
mod listening;
mod loops;
mod system_channels;
