//! The event that goes to `$errors` when an invocation fails: the shape of workflow errors, of a source.

use serde::Serialize;
use serde_json::value::RawValue;
use sluice_model::{ComponentId, EmitId, InvocationId, SourceId, UserId};
use sluice_runtime::Failure;

use sluice_store::routes::ERROR_CHANNEL;

pub(super) struct ErrorEvent<'a> {
    pub(super) emit_id: &'a EmitId,
    pub(super) at_ms: i64,
    pub(super) source: &'a SourceId,
    pub(super) component: &'a ComponentId,
    pub(super) owner: &'a UserId,
    pub(super) invocation: &'a InvocationId,
    /// `http`, `timer`, `manual`, `event` or `hook`.
    pub(super) trigger: &'static str,
    pub(super) event: &'a str,
    pub(super) failure: &'a Failure,
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
    source_id: &'a SourceId,
    deployment_id: &'a ComponentId,
    source_type: &'static str,
    verified: bool,
    owner_id: &'a UserId,
    platform_version: &'static str,
}

#[derive(Serialize)]
struct Thrown<'a> {
    code: &'a str,
    msg: &'a str,
    #[serde(rename = "cellId")]
    cell_id: &'a ComponentId,
    ts: &'a str,
    stack: &'a str,
}

#[derive(Serialize)]
struct Metadata<'a> {
    emitter_id: &'a SourceId,
    emit_id: &'a str,
    name: &'static str,
}

impl ErrorEvent<'_> {
    pub(super) fn to_json(&self) -> Box<RawValue> {
        let ts = jiff::Timestamp::from_millisecond(self.at_ms)
            .map(|instant| instant.to_string())
            .unwrap_or_default();
        let null = RawValue::NULL;
        let event = serde_json::from_str(self.event).unwrap_or(null);
        let wire = Wire {
            original_event: event,
            original_context: Context {
                id: self.invocation.as_str(),
                ts: &ts,
                source_id: self.source,
                deployment_id: self.component,
                source_type: self.trigger,
                verified: false,
                owner_id: self.owner,
                platform_version: env!("CARGO_PKG_VERSION"),
            },
            error: Thrown {
                code: self.failure.code.as_deref().unwrap_or(&self.failure.name),
                msg: &self.failure.message,
                cell_id: self.component,
                ts: &ts,
                stack: &self.failure.stack,
            },
            metadata: Metadata {
                emitter_id: self.source,
                emit_id: self.emit_id.as_str(),
                name: ERROR_CHANNEL,
            },
        };
        serde_json::value::to_raw_value(&wire).unwrap_or_else(|_| null.to_owned())
    }
}
