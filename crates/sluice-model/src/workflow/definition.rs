//! A version of a workflow: its document with all references resolved. It never changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    document::EnvValue,
    settings::{RetryPolicy, WorkflowSettings},
};
use crate::{emitter_id::WorkflowId, ids::ComponentId, prop_def::PropDef, timer::TimerSpec};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowDefinition {
    pub name: String,
    pub description: Option<String>,
    pub env: BTreeMap<String, EnvValue>,
    pub triggers: Vec<DeployedTrigger>,
    pub steps: Vec<DeployedStep>,
    pub settings: WorkflowSettings,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DeployedTrigger {
    Http {
        custom_response: bool,
    },
    Schedule {
        timer: TimerSpec,
    },
    Events {
        /// An id, `dc_*` or `p_*`.
        emitter_id: String,
        event_name: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeployedStep {
    pub name: String,
    /// The same in every version, for a step of the same name.
    pub cell_id: String,
    /// Its code, saved when this version was deployed, or the action that it runs.
    pub component_id: ComponentId,
    /// Values may hold `{{ … }}` expressions.
    pub props: Map<String, Value>,
    /// The declarations of its props, for an action that runs by itself: its values hold no expressions, and secret ones are
    /// sealed. None for a step of a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Vec<PropDef>>,
    pub timeout_seconds: Option<u32>,
    pub retry: RetryPolicy,
}

impl DeployedStep {
    /// The id that a step of this name has in every version of the workflow.
    pub fn cell_id(workflow: &WorkflowId, name: &str) -> String {
        let digest = Sha256::digest(format!("{workflow}/{name}"));
        let tail = digest.iter().take(6);
        tail.fold("c_".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    }
}

impl WorkflowDefinition {
    pub fn step(&self, name: &str) -> Option<&DeployedStep> {
        self.steps.iter().find(|step| step.name == name)
    }
}
