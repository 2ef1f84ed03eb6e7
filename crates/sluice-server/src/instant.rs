//! Parameters that are a time.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use crate::error::ApiError;

/// Parses epoch milliseconds or ISO 8601 to epoch milliseconds. A time without an offset is in UTC, and a date is its first moment.
pub(crate) fn parse(name: &str, text: &str) -> Result<i64, ApiError> {
    epoch_ms(text)
        .or_else(|| with_offset(text))
        .or_else(|| in_utc(text))
        .ok_or_else(|| {
            ApiError::BadRequest(format!(
                "{name} must be a time: epoch milliseconds, or ISO 8601 such as 2026-01-31T12:00:00Z"
            ))
        })
}

fn epoch_ms(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn with_offset(text: &str) -> Option<i64> {
    let instant: Timestamp = text.parse().ok()?;
    Some(instant.as_millisecond())
}

fn in_utc(text: &str) -> Option<i64> {
    let wall: DateTime = text.parse().ok()?;
    let instant = TimeZone::UTC.to_timestamp(wall).ok()?;
    Some(instant.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_milliseconds_and_iso_8601_are_equivalent() {
        let noon = 1_769_860_800_000;
        for text in [
            "1769860800000",
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.000Z",
            "2026-01-31T14:00:00+02:00",
            "2026-01-31T12:00:00",
            "2026-01-31 12:00",
            "20260131T120000Z",
        ] {
            assert_eq!(parse("since", text).unwrap(), noon, "{text}");
        }
        assert_eq!(parse("since", "2026-01-31").unwrap(), 1_769_817_600_000);
        assert_eq!(parse("since", "0").unwrap(), 0);
    }

    #[test]
    fn anything_else_is_an_error_that_names_the_parameter() {
        for text in [
            "",
            " ",
            "-1",
            "+5",
            "1.5",
            "yesterday",
            "2026-13-01",
            "99999999999999999999",
            "2026-01-31T12:00:00\0",
        ] {
            let Err(ApiError::BadRequest(message)) = parse("until", text) else {
                panic!("{text:?} was accepted");
            };
            assert!(message.starts_with("until must be a time"), "{message}");
        }
    }
}
