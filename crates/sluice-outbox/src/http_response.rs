//! Reading the responses of receivers.

use std::time::{Duration, UNIX_EPOCH};

use reqwest::{Response, StatusCode};

/// The longest pause that a receiver gets.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);
const MAX_READ: usize = 64 * 1024;
const MAX_KEPT_CHARACTERS: usize = 1_000;
/// As many bytes as that many characters can have.
const MAX_KEPT_BYTES: usize = 4 * MAX_KEPT_CHARACTERS;
/// Characters of a result that is stored.
const MAX_LINE_CHARACTERS: usize = 500;

/// The pause that a `Retry-After` header asks for: seconds, or a date.
pub(crate) fn retry_after(value: &str, now_ms: i64) -> Option<Duration> {
    let value = value.trim();
    let asked = if let Ok(seconds) = value.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = httpdate::parse_http_date(value).ok()?;
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).ok()?);
        date.duration_since(now).unwrap_or_default()
    };
    Some(asked.min(LONGEST_RETRY_AFTER))
}

/// The first characters of a response. Reading stops at a limit, at an error, and at the timeout of the attempt: the status
/// has decided already.
pub(crate) async fn excerpt(mut response: Response) -> String {
    let mut kept = Vec::new();
    let mut read = 0;
    while read < MAX_READ
        && let Ok(Some(chunk)) = response.chunk().await
    {
        read += chunk.len();
        let room = MAX_KEPT_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    let text = String::from_utf8_lossy(&kept);
    let characters = text.chars().filter(|character| *character != '\0');
    characters.take(MAX_KEPT_CHARACTERS).collect()
}

/// Whether a retry may get another status.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

/// Foreign text as it can be stored and shown: one line of bounded length.
pub(crate) fn one_line(text: &str) -> String {
    let characters = text.trim().chars().take(MAX_LINE_CHARACTERS);
    characters
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_at_most_a_day() {
        // 1994-11-06T08:49:37Z
        let now = 784_111_777_000;
        let secs = |value| retry_after(value, now).map(|asked| asked.as_secs());
        assert_eq!(secs(" 120 "), Some(120));
        assert_eq!(secs("0"), Some(0));
        assert_eq!(secs("999999999"), Some(86_400));
        assert_eq!(secs("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30));
        assert_eq!(secs("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(secs("Fri, 31 Dec 9999 23:59:59 GMT"), Some(86_400));
        for nonsense in ["", "-1", "soon", "1.5", "99999999999999999999999"] {
            assert_eq!(secs(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn too_many_requests_and_server_errors_are_transient() {
        let transient = |status: u16| is_transient(StatusCode::from_u16(status).unwrap());
        assert!([429, 500, 502, 503, 599].into_iter().all(transient));
        assert!(![200, 302, 400, 404, 408, 499].into_iter().any(transient));
    }

    #[test]
    fn foreign_text_is_kept_on_one_line() {
        assert_eq!(one_line(" a\r\nb\0c "), "a  b c");
        let long = one_line(&"ä".repeat(1_000));
        assert_eq!(long.chars().count(), MAX_LINE_CHARACTERS);
    }
}
