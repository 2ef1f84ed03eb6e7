//! The recorded data of a run, with which steps are tested.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_model::{InvocationId, WorkflowId, workflow::RunOrigin};
use sluice_store::{
    BatchLimit, Conn, StoreError,
    run_history::{self, Content, Selection},
    run_steps::{self, StepState},
    runs::{self, Run},
};

use crate::workflows::service::Workflows;

/// Which run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromRun {
    /// The newest one.
    Last,
    Id(InvocationId),
}

/// The parts of a run that a test uses.
pub(super) struct RecordedRun {
    pub(super) id: InvocationId,
    pub(super) origin: RunOrigin,
    pub(super) event: String,
    /// By step.
    pub(super) exports: BTreeMap<String, String>,
    /// The run that has the uploaded files of the event.
    pub(super) uploads_of: InvocationId,
}

impl Workflows {
    pub(super) async fn recorded_run(
        &self,
        workflow: &WorkflowId,
        from: &FromRun,
    ) -> Result<RecordedRun, EngineError> {
        let (workflow, from) = (workflow.clone(), *from);
        let read = self.infra.store.read(move |c| {
            let run = match from {
                FromRun::Id(id) => runs::get(c, &workflow, &id)?,
                FromRun::Last => newest(c, &workflow)?,
            };
            run.map(|run| recorded(c, run)).transpose()
        });
        read.await?.ok_or(EngineError::NotFound("run"))
    }
}

fn newest(c: &mut dyn Conn, workflow: &WorkflowId) -> Result<Option<Run>, StoreError> {
    let selection = Selection {
        state: None,
        after: None,
        before: None,
        limit: BatchLimit {
            rows: 1,
            bytes: u64::MAX >> 1,
        },
        content: Content::Whole,
    };
    let mut page = run_history::page(c, workflow, &selection)?;
    Ok(page.pop().map(|listed| listed.run))
}

fn recorded(c: &mut dyn Conn, run: Run) -> Result<RecordedRun, StoreError> {
    let records = run_steps::of_run(c, &run.workflow_id, &run.id)?;
    let has_exports = |state| matches!(state, StepState::Completed | StepState::Repeated);
    let exports = records
        .into_iter()
        .filter(|record| has_exports(record.state))
        .map(|record| (record.name, record.exports));
    Ok(RecordedRun {
        uploads_of: run.origin.replay_of.unwrap_or(run.id),
        id: run.id,
        origin: run.origin,
        event: run.event,
        exports: exports.collect(),
    })
}

/// The origin of an event that the caller gave.
pub(super) fn manual() -> RunOrigin {
    RunOrigin {
        source_type: "manual".to_owned(),
        emitter_id: None,
        event_id: None,
        replay_of: None,
        key_id: None,
    }
}
