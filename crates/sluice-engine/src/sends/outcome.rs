//! What came of a try.

use std::time::Duration;

use reqwest::StatusCode;

/// As much of it is kept as a person reads.
const MOST_CHARACTERS: usize = 500;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent(String),
    /// To try again would not help.
    Failed(String),
    /// It may work later; `after` is what the other side asked for.
    Again {
        why: String,
        after: Option<Duration>,
    },
}

impl Outcome {
    pub(super) fn again(why: String) -> Outcome {
        Outcome::Again { why, after: None }
    }
}

/// Whether another try may be answered otherwise.
pub(super) fn is_passing(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

/// Text from elsewhere as it can be stored and shown: one line of bounded length.
pub(super) fn shown(text: &str) -> String {
    let characters = text.trim().chars().take(MOST_CHARACTERS);
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
    fn too_many_requests_and_faults_of_the_server_pass() {
        let passing = |status: u16| is_passing(StatusCode::from_u16(status).unwrap());
        assert!([429, 500, 502, 503, 599].into_iter().all(passing));
        assert!(![200, 302, 400, 404, 408, 499].into_iter().any(passing));
    }

    #[test]
    fn what_others_say_is_kept_on_one_line() {
        assert_eq!(shown(" a\r\nb\0c "), "a  b c");
        assert_eq!(shown(&"ä".repeat(1_000)).chars().count(), MOST_CHARACTERS);
    }
}
