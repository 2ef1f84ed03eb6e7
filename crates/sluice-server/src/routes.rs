//! The handlers, by resource. Each extracts, calls the engine or reads the store, and maps to the wire.

pub(crate) mod components;
pub(crate) mod events;
pub(crate) mod forms;
pub(crate) mod logs;
pub(crate) mod operations;
pub(crate) mod sources;
pub(crate) mod summary;
pub(crate) mod uploads;
pub(crate) mod users;

/// Resources carry epoch seconds, the store epoch milliseconds.
fn epoch_seconds(epoch_ms: i64) -> i64 {
    epoch_ms.div_euclid(1000)
}
