//! Tests of workflows: running steps of a document that need not be deployed.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::value::RawValue;
use sluice_model::{InvocationId, workflow::RunError};
use utoipa::ToSchema;

use crate::runs::{ErrorPlace, RunStep};

/// Body of `POST /workflows/test`. At least one of `workflow` and `document` is required.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct TestWorkflow {
    /// Id or slug of the workflow that the document belongs to. The test has its stored secrets and a copy of its key-value store.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub workflow: Option<String>,
    /// The document to test, in YAML or JSON. Default: the current version of the workflow.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub document: Option<String>,
    /// The files that steps of the document name, by their path.
    pub files: Option<BTreeMap<String, String>>,
    /// Values of the secrets that the document declares. Absent ones have the stored values of the workflow.
    pub secrets: Option<BTreeMap<String, String>>,
    /// The name of the last step to run. Default: the last step of the document.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub step: Option<String>,
    /// Whether this step runs alone. Earlier steps then have the exports of `exports` and `from_run`.
    pub only: Option<bool>,
    /// The event. Default: that of `from_run`, or else an empty object.
    #[schema(value_type = Option<Value>)]
    pub event: Option<Box<RawValue>>,
    /// The id of a run of the workflow, or `last`: it supplies the event, and with `only` the exports of earlier steps.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub from_run: Option<String>,
    /// Exports of earlier steps by name, each an object. These steps do not run.
    #[schema(value_type = Option<BTreeMap<String, Object>>)]
    pub exports: Option<BTreeMap<String, Box<RawValue>>>,
    /// Whether `$.send.http`, `$.send.email` and `$.send.s3` send, with one attempt each. Default: false. Emitted events and stream
    /// messages are only shown.
    pub send: Option<bool>,
}

/// The result of a test.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WorkflowTest {
    /// `succeeded` or `failed`.
    pub state: String,
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    /// The steps that ran, in order. After a failed step no other runs.
    pub steps: Vec<TestedStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// Where the error is in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_place: Option<ErrorPlace>,
    /// Present if a step ended the run early. It may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// The response to the client of a run, if a step sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<TestResponse>,
    /// The run that supplied event or exports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub from_run: Option<InvocationId>,
    /// Earlier steps that did not run, because their exports were supplied.
    pub given: Vec<String>,
    /// Earlier steps that did not run and whose exports are unknown: `steps` does not have them.
    pub missing: Vec<String>,
}

/// A step that a test ran.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TestedStep {
    #[serde(flatten)]
    pub step: RunStep,
    /// The messages that a run would send when it ends or waits.
    pub sends: Vec<TestedSend>,
    /// How long a run would wait after this step, for the reason `waited_for`. The test does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ms: Option<i64>,
}

/// The fields of a tested step beside those of every step.
#[derive(Deserialize)]
struct OfTest {
    sends: Vec<TestedSend>,
    pause_ms: Option<i64>,
}

/// Flattened fields cannot be read when they hold raw JSON, so the object is read twice.
impl<'de> Deserialize<'de> for TestedStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TestedStep, D::Error> {
        let object = Box::<RawValue>::deserialize(deserializer)?;
        let step = serde_json::from_str(object.get()).map_err(D::Error::custom)?;
        let OfTest { sends, pause_ms } =
            serde_json::from_str(object.get()).map_err(D::Error::custom)?;
        Ok(TestedStep {
            step,
            sends,
            pause_ms,
        })
    }
}

/// A message of a tested step.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TestedSend {
    /// `http`, `email`, `s3`, `emit` or `sse`.
    pub kind: String,
    /// The parameters of the call.
    #[schema(value_type = Object)]
    pub payload: Box<RawValue>,
    /// `shown`, `sent` or `failed`.
    pub state: String,
    /// The answer of the receiver, or the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A response of a tested workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestResponse {
    pub status: u16,
    /// Pairs of name and value.
    #[schema(value_type = Vec<Vec<String>>)]
    pub headers: Vec<(String, String)>,
    /// The body as text. Bytes that are not UTF-8 are replaced.
    pub body: String,
}
