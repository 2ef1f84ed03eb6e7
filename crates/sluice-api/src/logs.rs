//! Lines in the log of a source.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One line of a source's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    pub id: String,
    /// Epoch milliseconds.
    pub ts: i64,
    /// What kind of line it is.
    pub k: String,
    pub level: String,
    pub msg: String,
    /// The invocation that wrote it, when one did.
    pub invocation_id: Option<String>,
}
