//! A parsed workflow, before the components and emitters it names are looked up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::settings::{RetryPolicy, WorkflowSettings};
use crate::timer::TimerSpec;

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub name: String,
    pub description: Option<String>,
    /// Expressions read them as `process.env.<name>`.
    pub env: BTreeMap<String, EnvValue>,
    pub triggers: Vec<Trigger>,
    /// At least one. Their names are unique.
    pub steps: Vec<Step>,
    pub settings: WorkflowSettings,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvValue {
    Value(String),
    /// Sent beside the document, and stored encrypted.
    Secret,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    Http {
        /// Whether a step responds to the client. None when the document does not say.
        custom_response: Option<bool>,
    },
    Schedule(TimerSpec),
    Events {
        /// An id, the slug of a source or a workflow, `dc_*` or `p_*`.
        from: String,
        /// Empty for the default channel.
        event_name: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub name: String,
    pub code: StepCode,
    /// Values may hold `{{ … }}` expressions.
    pub props: Map<String, Value>,
    pub timeout_seconds: Option<u32>,
    pub retry: Option<RetryPolicy>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepCode {
    Inline(String),
    /// A path among the files that come with the document.
    File(String),
    /// The id or the key of a saved component, or a key of the registry.
    Action(String),
}
