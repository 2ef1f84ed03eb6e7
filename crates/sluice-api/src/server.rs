//! The whole server, as its operator sees it.

use serde::{Deserialize, Serialize};
use sluice_model::EmitterId;
use utoipa::ToSchema;

/// The server, what it uses and how it is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Server {
    pub version: String,
    /// Epoch milliseconds.
    pub started_at: i64,
    /// Where clients reach it.
    pub public_url: String,
    pub database: Database,
    /// Of the server itself.
    pub memory_bytes: u64,
    /// Of the database.
    pub storage_bytes: u64,
    /// What the disk of the database has left; null when the database is elsewhere.
    pub free_bytes: Option<u64>,
    /// The largest first.
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
    /// Whose it is.
    pub username: String,
    pub memory_bytes: u64,
    /// Epoch milliseconds.
    pub started_at: i64,
}

/// A setting, as `sluice serve --help` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerSetting {
    #[schema(example = "--invocation-timeout")]
    pub name: String,
    /// What holds; null when it is not set. Secrets are `********`, and addresses have no credentials.
    #[schema(example = "30s")]
    pub value: Option<String>,
    pub help: String,
}
