//! What is known of a run besides its steps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id_gen::InvocationId;

/// Where a run comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOrigin {
    /// `http`, `timer`, `manual` or `event`.
    pub source_type: String,
    /// Who emitted the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitter_id: Option<String>,
    /// The first run for the event, of which this one is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<InvocationId>,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    pub kind: PauseKind,
    /// The step that asked for it, counted from 0.
    pub position: u32,
    /// What a step that runs again is given by the time before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PauseKind {
    /// For a time; then it goes on with the next step.
    Delay,
    /// For somebody who resumes it; then it goes on with the next step. It is cancelled when its time is up.
    Suspend,
    /// For a time, or for somebody; then the step runs again.
    Rerun,
    /// For a time, since the step failed; then the step runs again.
    Retry,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// The step, when it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub code: String,
    pub message: String,
    pub stack: String,
}
