//! Tools that tests use and that a machine may lack.

use std::env;

/// Says that a test is skipped because a tool is missing. In continuous integration (`CI`) that is a failure.
pub fn skip_without(tool: &str) {
    let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "{tool} is missing in continuous integration");
    eprintln!("skipped: {tool} is missing");
}
