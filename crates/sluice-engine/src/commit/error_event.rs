//! The event in `$errors`: the shape of workflow errors, for workflows and sources.

use serde::Serialize;
use serde_json::value::RawValue;
use sluice_model::{ComponentId, DeploymentId, EmitId, InvocationId, SourceId, UserId, WorkflowId};
use sluice_runtime::Failure;
use sluice_store::routes::ERROR_CHANNEL;

pub(crate) struct ErrorEvent<'a> {
    pub(crate) emit_id: &'a EmitId,
    pub(crate) at_ms: i64,
    pub(crate) origin: ErrorOrigin<'a>,
    pub(crate) user: &'a UserId,
    /// The invocation or the run, and its start time.
    pub(crate) invocation: &'a InvocationId,
    pub(crate) started_ms: i64,
    /// `http`, `timer`, `manual`, `event` or `hook`.
    pub(crate) trigger: &'a str,
    pub(crate) event: &'a str,
    pub(crate) failure: &'a Failure,
}

/// The source or the workflow that failed.
#[derive(Clone, Copy)]
pub(crate) enum ErrorOrigin<'a> {
    Source {
        id: &'a SourceId,
        component: &'a ComponentId,
    },
    Workflow {
        id: &'a WorkflowId,
        deployment: &'a DeploymentId,
        /// The step; empty when no step failed.
        cell: &'a str,
    },
}

#[derive(Serialize)]
struct Wire<'a> {
    original_event: &'a RawValue,
    original_context: Context<'a>,
    error: Thrown<'a>,
    metadata: Metadata<'a>,
}

#[derive(Serialize)]
struct Context<'a> {
    id: &'a str,
    ts: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<&'a SourceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow_id: Option<&'a WorkflowId>,
    deployment_id: &'a str,
    source_type: &'a str,
    verified: bool,
    owner_id: &'a UserId,
    platform_version: &'static str,
}

#[derive(Serialize)]
struct Thrown<'a> {
    code: &'a str,
    msg: &'a str,
    #[serde(rename = "cellId")]
    cell_id: &'a str,
    ts: &'a str,
    stack: &'a str,
}

#[derive(Serialize)]
struct Metadata<'a> {
    emitter_id: &'a str,
    emit_id: &'a str,
    name: &'static str,
}

impl ErrorEvent<'_> {
    pub(crate) fn to_json(&self) -> Box<RawValue> {
        let (source_id, workflow_id, deployment_id, cell_id) = match self.origin {
            ErrorOrigin::Source { id, component } => {
                (Some(id), None, component.as_str(), component.as_str())
            }
            ErrorOrigin::Workflow {
                id,
                deployment,
                cell,
            } => (None, Some(id), deployment.as_str(), cell),
        };
        let emitter_id = source_id
            .map(|id| id.as_str())
            .or(workflow_id.map(|id| id.as_str()));
        let null = RawValue::NULL;
        let ts = iso(self.at_ms);
        let wire = Wire {
            original_event: serde_json::from_str(self.event).unwrap_or(null),
            original_context: Context {
                id: self.invocation.as_str(),
                ts: &iso(self.started_ms),
                source_id,
                workflow_id,
                deployment_id,
                source_type: self.trigger,
                verified: false,
                owner_id: self.user,
                platform_version: env!("CARGO_PKG_VERSION"),
            },
            error: Thrown {
                code: self.failure.code.as_deref().unwrap_or(&self.failure.name),
                msg: &self.failure.message,
                cell_id,
                ts: &ts,
                stack: &self.failure.stack,
            },
            metadata: Metadata {
                emitter_id: emitter_id.unwrap_or_default(),
                emit_id: self.emit_id.as_str(),
                name: ERROR_CHANNEL,
            },
        };
        serde_json::value::to_raw_value(&wire).unwrap_or_else(|_| null.to_owned())
    }
}

/// An instant as ISO 8601 in UTC.
pub fn iso(at_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(at_ms)
        .map(|instant| instant.to_string())
        .unwrap_or_default()
}
