//! Names of tools, as clients of the Model Context Protocol accept them.

use sluice_engine::EngineError;

const MAX_LENGTH: usize = 64;
/// The server's own tools begin with this.
const RESERVED: &str = "sluice_";

pub(super) fn check(name: &str) -> Result<(), EngineError> {
    let allowed = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    let problem = if name.is_empty() || !name.chars().all(allowed) {
        "may only have letters, digits, - and _".to_owned()
    } else if name.len() > MAX_LENGTH {
        format!("must be at most {MAX_LENGTH} characters long")
    } else if name.starts_with(RESERVED) {
        format!("must not begin with {RESERVED}, as the tools of the server do")
    } else {
        return Ok(());
    };
    Err(EngineError::BadRequest(format!(
        "the name of a tool {problem}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suit_every_client() {
        for good in ["a", "slack-send_message-2", &"x".repeat(64)] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "ä", "a.b", "sluice_run", &"x".repeat(65)] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
