//! Times on the command line.

use std::time::Duration;

use jiff::Timestamp;
use sluice_model::{Clock, SystemClock};

/// A time for the API. An age counts back from now.
pub(crate) fn time(text: &str) -> Result<String, String> {
    let is_time = text.parse::<i64>().is_ok() || text.parse::<Timestamp>().is_ok();
    if is_time {
        return Ok(text.to_owned());
    }
    let age = humantime::parse_duration(text).map_err(
        |_| "give an age such as 7d, a time such as 2026-01-31T09:00:00Z, or epoch milliseconds",
    )?;
    Ok(before_now(age).to_string())
}

fn before_now(age: Duration) -> i64 {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    SystemClock.now_ms().saturating_sub(age).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_an_instant_or_an_age() {
        for text in ["1784800000000", "2026-01-31T09:00:00Z"] {
            assert_eq!(time(text).as_deref(), Ok(text));
        }
        let week_ago = time("7d").unwrap().parse::<i64>().unwrap();
        assert!((SystemClock.now_ms() - week_ago).abs_diff(7 * 86_400_000) < 60_000);
        assert!(time("yesterday").is_err());
    }
}
