//! The data of a run besides its steps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{event_id::EventId, id_gen::InvocationId};

/// The origin of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOrigin {
    /// `http`, `timer`, `manual`, `event` or `action`.
    pub source_type: String,
    /// The emitter of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitter_id: Option<String>,
    /// The event, if an emitter emitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The first run for the event, if this run is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<InvocationId>,
    /// The named API key that started the run of an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
}

/// Why a run waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    pub kind: PauseKind,
    /// The step that paused the run, counted from 0.
    pub position: u32,
    /// Data for the next run of the step, from the previous one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PauseKind {
    /// Waits for a time, then continues with the next step.
    Delay,
    /// Waits to be resumed, then continues with the next step. The run is cancelled when the time is up.
    Suspend,
    /// Waits for a time or to be resumed, then runs the step again.
    Rerun,
    /// Waits after a failure, then retries the step.
    Retry,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// The step that failed, if the error is of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub code: String,
    pub message: String,
    pub stack: String,
    /// The prop whose expression failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prop: Option<String>,
}
