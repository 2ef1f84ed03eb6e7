//! The status and settings of the server, for its operator.

use serde::{Deserialize, Serialize};
use sluice_model::EmitterId;
use utoipa::ToSchema;

/// The server, its resource usage and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Server {
    pub version: String,
    /// Epoch milliseconds.
    pub started_at: i64,
    /// The URL for clients.
    pub public_url: String,
    pub database: Database,
    /// Memory of the server process, in bytes.
    pub memory_bytes: u64,
    /// Size of the database, in bytes.
    pub storage_bytes: u64,
    /// Free space of the disk of the database; null when the database is elsewhere.
    #[schema(required = true)]
    pub free_bytes: Option<u64>,
    /// Largest first.
    pub processes: Vec<ServerProcess>,
    pub settings: Vec<ServerSetting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Database {
    Sqlite,
    Postgres,
}

/// A process of a source or a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerProcess {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub emitter_id: EmitterId,
    pub name: String,
    /// The user that owns it.
    pub username: String,
    pub memory_bytes: u64,
    /// Epoch milliseconds.
    pub started_at: i64,
}

/// A setting of `sluice serve --help`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerSetting {
    #[schema(example = "--invocation-timeout")]
    pub name: String,
    /// The effective value; null when it is not set. Secrets are `********`, and URLs have no credentials.
    #[schema(required = true, example = "30s")]
    pub value: Option<String>,
    pub help: String,
}
