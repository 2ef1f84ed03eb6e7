//! The version of the program, with the commit it was built from.

use std::sync::LazyLock;

/// The commit and its date. `make build` and `make dist` set it. Other builds do without, so that a commit rebuilds nothing.
const BUILD: Option<&str> = option_env!("SLUICE_BUILD");

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    match BUILD {
        Some(build) if !build.is_empty() => format!("{version} ({build})"),
        _ => version.to_owned(),
    }
});

/// The commit and its date; empty when they are unknown.
pub(crate) fn commit() -> (&'static str, &'static str) {
    let build = BUILD.unwrap_or_default();
    build.split_once(", ").unwrap_or((build, ""))
}

pub(crate) fn version() -> &'static str {
    &VERSION
}
