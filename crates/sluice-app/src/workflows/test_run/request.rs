//! The request of a test.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_engine::EngineError;

use super::recorded::FromRun;

/// A test of a workflow.
pub struct TestWorkflow {
    /// Id or slug. A document that was never deployed has none.
    pub workflow: Option<String>,
    /// Default: the current version.
    pub document: Option<String>,
    pub files: BTreeMap<String, String>,
    /// Values of secrets that the document declares. Others have the stored values of the workflow.
    pub secrets: BTreeMap<String, String>,
    /// The last step to run. Default: the last one of the document.
    pub step: Option<String>,
    /// Whether the steps before it do not run.
    pub only: bool,
    /// JSON on one line. Default: the event of `from_run`.
    pub event: Option<Box<RawValue>>,
    pub from_run: Option<FromRun>,
    /// Exports of earlier steps, which do not run then. JSON on one line.
    pub exports: BTreeMap<String, Box<RawValue>>,
    /// Whether requests, mail and S3 objects are sent.
    pub send: bool,
}

pub(super) fn invalid(field: &'static str, reason: impl Into<String>) -> EngineError {
    EngineError::InvalidRecord {
        field,
        errors: vec![reason.into()],
    }
}
