//! Lines in the log of a source.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One line of a source's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    pub id: String,
    /// Epoch milliseconds.
    pub ts: i64,
    /// The kind of the line.
    pub k: String,
    pub level: String,
    pub msg: String,
    /// The invocation that wrote the line, if any.
    #[schema(required = true)]
    pub invocation_id: Option<String>,
}
