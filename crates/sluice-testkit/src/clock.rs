//! The time as the server under test sees it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since the epoch, by the clock of the machine.
#[expect(
    clippy::disallowed_methods,
    reason = "the server under test reads the clock of the machine"
)]
pub fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    let since_epoch = since_epoch.expect("the clock is past 1970");
    i64::try_from(since_epoch.as_millis()).expect("the time fits")
}
