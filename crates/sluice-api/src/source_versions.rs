//! The versions of a source, and rollback.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::ComponentId;
use utoipa::ToSchema;

use crate::components::ComponentFiles;

/// A version of a source: its code and the values of its props.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceVersion {
    /// Counted from 1.
    pub number: u32,
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub component_id: ComponentId,
    /// The username of the author at that time.
    #[schema(example = "alice")]
    pub author: String,
    /// How the author was authenticated, as in the audit log.
    #[schema(example = "session")]
    pub credential: String,
    /// The version that a rollback took code and props from; null for another change.
    #[schema(required = true)]
    pub restored: Option<u32>,
    /// Epoch seconds.
    pub created_at: i64,
    /// Whether the source runs it.
    pub running: bool,
}

/// A version of a source with its code and the values of its props.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WholeSourceVersion {
    #[serde(flatten)]
    pub version: SourceVersion,
    pub code: String,
    /// The files that the code imports. Missing for code in one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub files: Option<ComponentFiles>,
    /// Secrets are masked. Endpoints are no part of a version.
    #[schema(value_type = Object)]
    pub configured_props: Map<String, Value>,
}

/// Body of `POST /sources/{id}/rollback`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RollBackSource {
    /// The number of the version to take code and props from.
    #[schema(required = true, nullable = false)]
    pub version: Option<u32>,
}
