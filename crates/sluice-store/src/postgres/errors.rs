//! Classifies PostgreSQL's errors by SQLSTATE, never by message.

use tokio_postgres::{Error, error::SqlState};

use crate::error::StoreError;

/// For a failed statement.
pub(super) fn store_error(error: &Error) -> StoreError {
    let message = describe(error);
    let Some(state) = error.code() else {
        // No answer from the server: the connection is gone, or we sent something it cannot read.
        return if is_connection_error(error) {
            StoreError::Unavailable(message)
        } else {
            StoreError::Internal(message)
        };
    };
    if *state == SqlState::UNIQUE_VIOLATION {
        return StoreError::Conflict(message);
    }
    let class = state.code().get(..2).unwrap_or_default();
    match class {
        // Connection, transaction rolled back (deadlock), resources (disk full), operator
        // intervention (shutdown), system error (I/O).
        "08" | "40" | "53" | "57" | "58" => StoreError::Unavailable(message),
        // Read-only, as a server is after a failover.
        "25" if *state == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::Unavailable(message),
        // Timeouts: of a transaction that was left open, and of a lock.
        _ if *state == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            || *state == SqlState::LOCK_NOT_AVAILABLE =>
        {
            StoreError::Unavailable(message)
        }
        // Program limit exceeded: a value too large.
        "54" => StoreError::Invalid(message),
        _ if *state == SqlState::CHARACTER_NOT_IN_REPERTOIRE => StoreError::Invalid(message),
        _ if *state == SqlState::DATA_CORRUPTED || *state == SqlState::INDEX_CORRUPTED => {
            StoreError::Corrupt(message)
        }
        _ => StoreError::Internal(message),
    }
}

/// For a transaction that could not begin. That is never the fault of its statements.
pub(super) fn begin_error(error: &Error) -> StoreError {
    StoreError::Unavailable(describe(error))
}

/// For a connection that could not be made: no such host, refused, shutting down, TLS. Only a
/// server that rejects the login (password, database, role) needs an operator.
pub(super) fn connect_error(error: &Error) -> StoreError {
    let message = format!("cannot connect to PostgreSQL: {}", describe(error));
    match error.code().and_then(|state| state.code().get(..2)) {
        Some("28" | "3D" | "42") => StoreError::Unusable(message),
        _ => StoreError::Unavailable(message),
    }
}

/// Whether the connection is gone: closed, broken, or ended by the server.
pub(super) fn is_lost(error: &Error) -> bool {
    // Not a statement that was cancelled, which is 57014.
    let ended = |state: &SqlState| {
        ["08", "57P"]
            .iter()
            .any(|code| state.code().starts_with(code))
    };
    error
        .code()
        .map_or_else(|| is_connection_error(error), ended)
}

fn is_connection_error(error: &Error) -> bool {
    let cause = std::error::Error::source(error);
    error.is_closed() || cause.is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

/// The driver's own text is only "db error"; the reason is in the cause.
fn describe(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
