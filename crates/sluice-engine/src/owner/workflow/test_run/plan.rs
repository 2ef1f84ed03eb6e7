//! The steps of a test run, and its result.

use std::collections::BTreeMap;

use sluice_model::{
    InvocationId,
    workflow::{RunOrigin, WorkflowDefinition},
};
use sluice_runtime::{Reply, Send};
use sluice_store::{components::Component, run_steps::StepRecord, workflows::Workflow};

/// The steps to run, with everything that they need.
pub struct TestPlan {
    /// A row of the store, or one made for a document that was never deployed.
    pub workflow: Workflow,
    /// Its steps are those to run.
    pub definition: WorkflowDefinition,
    /// One for each step.
    pub components: Vec<Component>,
    /// Sealed values of the environment's secrets.
    pub secrets: BTreeMap<String, String>,
    /// JSON on one line.
    pub event: String,
    pub origin: RunOrigin,
    /// The run whose uploaded files the event names.
    pub uploads_of: Option<InvocationId>,
    /// Exports of steps that do not run: name and JSON on one line.
    pub given: Vec<(String, String)>,
}

/// An executed step.
pub struct TestedStep {
    pub record: StepRecord,
    /// Sends that a run would make when it ends.
    pub sends: Vec<Send>,
    /// How long a run would wait after it.
    pub pause_ms: Option<i64>,
}

/// The result of a test run. After a failed step no other runs.
pub struct TestEnd {
    /// The id that the steps saw as that of their run.
    pub id: InvocationId,
    pub steps: Vec<TestedStep>,
    /// Present if a step ended the run early.
    pub exit_reason: Option<String>,
    /// The response to the client of a run.
    pub reply: Option<Reply>,
}
