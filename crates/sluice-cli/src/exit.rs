//! Exit codes of commands.
//!
//! 0 is success, 1 failure, and 2 bad usage (from the argument parser).

use std::{error::Error, fmt, process::ExitCode};

use crate::client::ClientError;

/// The server is unreachable.
const UNREACHABLE: u8 = 3;
/// The API key is missing or rejected.
const NO_ACCESS: u8 = 4;
/// The named item does not exist.
const NOT_FOUND: u8 = 5;
/// Ctrl-C: 128 + SIGINT, the convention of shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// The named item does not exist. The message says what to do.
#[derive(Debug)]
pub(crate) struct NotFound(pub(crate) String);

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NotFound {}

/// The user pressed Ctrl-C or left a prompt. Nothing is printed for it.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl Error for Interrupted {}

/// Runs `work` until it is done or the user presses Ctrl-C.
pub(crate) async fn interruptible<T>(
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
    }
}

/// The exit code for an error.
pub(crate) fn code_of(error: &anyhow::Error) -> ExitCode {
    let of_cause = |cause: &(dyn Error + 'static)| match cause.downcast_ref() {
        Some(ClientError::Unreachable { .. }) => Some(UNREACHABLE),
        Some(ClientError::NoApiKey | ClientError::Api { status: 401, .. }) => Some(NO_ACCESS),
        Some(ClientError::Api { status: 404, .. }) => Some(NOT_FOUND),
        Some(ClientError::Api { .. } | ClientError::InvalidResponse { .. }) => None,
        None if cause.is::<Interrupted>() => Some(INTERRUPTED),
        None => cause.is::<NotFound>().then_some(NOT_FOUND),
    };
    let code = error.chain().find_map(of_cause);
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
