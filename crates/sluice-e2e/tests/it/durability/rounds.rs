//! How often a test kills the server.

use std::env;

const ROUNDS: &str = "SLUICE_KILL_ROUNDS";

/// `SLUICE_KILL_ROUNDS`, for a long search, or else `default`.
pub(super) fn rounds(default: u32) -> u32 {
    match env::var(ROUNDS) {
        Ok(text) => text.parse().expect("SLUICE_KILL_ROUNDS is a number"),
        Err(_) => default,
    }
}
