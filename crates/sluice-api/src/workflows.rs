//! Workflows: steps that run for each event, their versions and their updates.

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
    #[schema(required = true)]
    pub description: Option<String>,
    pub active: bool,
    /// The number of the version of new runs.
    pub version: u32,
    #[schema(value_type = String, example = "d_mJc8Qk")]
    pub deployment_id: DeploymentId,
    pub triggers: Vec<WorkflowTrigger>,
    /// The steps of the version of new runs.
    pub steps: Vec<WorkflowStep>,
    #[schema(value_type = Object)]
    pub settings: WorkflowSettings,
    /// The number of queued events and of events whose run is not over.
    pub queued: u64,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// Present with `expand=activity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub activity: Option<EmitterActivity>,
}

/// A trigger of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkflowTrigger {
    Http {
        /// The URL of the endpoint.
        #[schema(required = true)]
        endpoint_url: Option<String>,
        /// Whether a step responds to the client.
        custom_response: bool,
    },
    Schedule {
        #[schema(required = true)]
        cron: Option<String>,
        #[schema(required = true)]
        interval_seconds: Option<u32>,
        #[schema(required = true)]
        timezone: Option<String>,
        /// Epoch seconds; null while the workflow is inactive or its scheduled run is not over.
        #[schema(required = true)]
        next_at: Option<i64>,
    },
    Events {
        /// The id of a source or a workflow, or `dc_*` or `p_*`.
        emitter_id: String,
        /// The channel; empty for the default one.
        event_name: String,
    },
}

/// A step of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkflowStep {
    pub name: String,
    /// The same in every version, for a step of the same name.
    pub cell_id: String,
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub component_id: ComponentId,
    /// The slug of the app of its component, as for sources. Absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "github")]
    pub app: Option<String>,
}

/// Body of `POST /workflows`, where `document` is required, and of `PUT /workflows/{id}`, where at least one field must be present
/// and absent fields stay the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "document": "name: orders\ntriggers:\n  - http: {}\nsteps:\n  - name: order\n    code: |\n      export default defineComponent({ run: ({ steps }) => steps.trigger.event.body });\n" }))]
pub struct DeployWorkflow {
    /// The workflow in YAML or JSON; `GET /workflows/schema.json` describes it. It creates a new version.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub document: Option<String>,
    /// The files that steps of the document name, by their path.
    pub files: Option<BTreeMap<String, String>>,
    /// Values of the secrets that the document declares. Absent ones keep their stored values.
    pub secrets: Option<BTreeMap<String, String>>,
    /// Default: unchanged; a new workflow is active.
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
    /// Whether it is the version of new runs.
    pub running: bool,
}

/// A version of a workflow with its document and files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WholeWorkflowVersion {
    #[serde(flatten)]
    pub version: WorkflowVersion,
    /// As it was deployed.
    pub document: String,
    pub files: BTreeMap<String, String>,
    /// The definition that the document was resolved to.
    #[schema(value_type = Object)]
    pub definition: WorkflowDefinition,
    /// The steps of the definition.
    pub steps: Vec<WorkflowStep>,
}

/// Body of `POST /workflows/{id}/rollback`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RollBackWorkflow {
    /// The number of the version for new runs.
    #[schema(required = true, nullable = false)]
    pub version: Option<u32>,
}
