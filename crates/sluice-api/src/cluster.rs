//! The servers that share the database, for the operator.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A server of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClusterNode {
    pub name: String,
    /// New for each start of a server.
    #[schema(example = "9f86d081884c7d65")]
    pub incarnation: String,
    pub state: NodeState,
    /// Whether this node answers the request.
    pub current: bool,
    pub version: String,
    /// Host and port at which other nodes reach it; null on SQLite.
    #[schema(required = true, example = "10.0.0.7:41822")]
    pub address: Option<String>,
    /// The URL for clients.
    pub public_url: String,
    /// Epoch milliseconds, by the clock of the database.
    pub started_at: i64,
    /// Milliseconds until its lease ends, as of the last heartbeat; 0 when it has none, null on SQLite.
    #[schema(required = true)]
    pub lease_left_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    Active,
    /// It finishes its work and takes no more.
    Draining,
    /// It was stopped.
    Stopped,
    /// It does not renew its lease: it crashed, hangs, or cannot reach the database.
    Lost,
}
