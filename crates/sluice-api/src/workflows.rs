//! Workflows: steps that run for each event, their versions, and what is to change in them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::{
    ComponentId, DeploymentId, UserId, WorkflowId,
    workflow::{WorkflowDefinition, WorkflowSettings},
};
use utoipa::ToSchema;

use crate::activity::EmitterActivity;

/// A deployed workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Workflow {
    #[schema(value_type = String, example = "p_3qCgb2")]
    pub id: WorkflowId,
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub user_id: UserId,
    pub name: String,
    pub name_slug: String,
    pub description: Option<String>,
    pub active: bool,
    /// The number of the version that new runs take.
    pub version: u32,
    #[schema(value_type = String, example = "d_mJc8Qk")]
    pub deployment_id: DeploymentId,
    pub triggers: Vec<WorkflowTrigger>,
    pub steps: Vec<WorkflowStep>,
    #[schema(value_type = Object)]
    pub settings: WorkflowSettings,
    /// Events that are not done with: those that wait for their turn, and those whose run is under way.
    pub queued: u64,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// Where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<EmitterActivity>,
}

/// What makes a workflow run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkflowTrigger {
    Http {
        /// Where requests go.
        endpoint_url: Option<String>,
        /// Whether a step answers the client.
        custom_response: bool,
    },
    Schedule {
        cron: Option<String>,
        interval_seconds: Option<u32>,
        timezone: Option<String>,
        /// Epoch seconds; null while the workflow is inactive, and while it runs for its schedule.
        next_at: Option<i64>,
    },
    Events {
        /// The id of a source or a workflow, or `dc_*` or `p_*`.
        emitter_id: String,
        /// The channel; empty for the default one.
        event_name: String,
    },
}

/// A step of the version that new runs take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkflowStep {
    pub name: String,
    /// Stays with the name of the step from version to version.
    pub cell_id: String,
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub component_id: ComponentId,
}

/// Body of `POST /workflows`, where `document` is required, and of `PUT /workflows/{id}`, where at least one field must be present
/// and what is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct DeployWorkflow {
    /// The workflow in YAML or JSON; `GET /workflows/schema.json` describes it. It makes a new version.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub document: Option<String>,
    /// The files that steps of the document name, by their path.
    pub files: Option<BTreeMap<String, String>>,
    /// Values of what the document declares as secrets. Those that are left out keep the value they have.
    pub secrets: Option<BTreeMap<String, String>>,
    /// Left out: as it was, and a new workflow is active.
    pub active: Option<bool>,
}

/// A version of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkflowVersion {
    #[schema(value_type = String, example = "d_mJc8Qk")]
    pub id: DeploymentId,
    /// Counted from 1.
    pub number: u32,
    /// Epoch seconds.
    pub created_at: i64,
    /// Whether new runs take it.
    pub running: bool,
}

/// A version of a workflow, with what it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WholeWorkflowVersion {
    #[serde(flatten)]
    pub version: WorkflowVersion,
    /// As it was deployed.
    pub document: String,
    pub files: BTreeMap<String, String>,
    /// What was made of it.
    #[schema(value_type = Object)]
    pub definition: WorkflowDefinition,
}

/// Body of `POST /workflows/{id}/rollback`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RollBackWorkflow {
    /// The number of the version that new runs shall take.
    #[schema(required = true)]
    pub version: Option<u32>,
}
