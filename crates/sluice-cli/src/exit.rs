//! What the exit code of a command means.
//!
//! 0 is done, 1 that it failed or was refused, and 2, from the parser of arguments, bad usage.

use std::{error::Error, fmt, process::ExitCode};

use crate::client::ClientError;

/// No server could be reached.
const UNREACHABLE: u8 = 3;
/// There is no API key, or the server does not know it.
const NO_ACCESS: u8 = 4;
/// What was named is not there.
const NOT_FOUND: u8 = 5;
/// Somebody pressed Ctrl-C, as shells tell it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Something that was named is not there; says what to do.
#[derive(Debug)]
pub(crate) struct NotFound(pub(crate) String);

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NotFound {}

/// Somebody wants no more of this, and knows it.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl Error for Interrupted {}

/// Does something until it is done or somebody presses Ctrl-C.
pub(crate) async fn interruptible<T>(
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
    }
}

/// The code that a failure ends with.
pub(crate) fn code_of(error: &anyhow::Error) -> ExitCode {
    let of_cause = |cause: &(dyn Error + 'static)| match cause.downcast_ref() {
        Some(ClientError::Unreachable { .. }) => Some(UNREACHABLE),
        Some(ClientError::NoKey | ClientError::Refused { status: 401, .. }) => Some(NO_ACCESS),
        Some(ClientError::Refused { status: 404, .. }) => Some(NOT_FOUND),
        Some(ClientError::Refused { .. } | ClientError::NotUnderstood { .. }) => None,
        None if cause.is::<Interrupted>() => Some(INTERRUPTED),
        None => cause.is::<NotFound>().then_some(NOT_FOUND),
    };
    let code = error.chain().find_map(of_cause);
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
