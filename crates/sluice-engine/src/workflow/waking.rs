//! Runs that wait: each goes on when its time has come, or when somebody resumes it.

use std::sync::Arc;

use sluice_model::{InvocationId, WorkflowId, workflow::PauseKind};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxKind, NewInboxItem},
    runs::{self, WaitingRun},
};

use super::progress::NOT_RESUMED;
use crate::{context::Context, error::EngineError};

const DUE: &str = r#"{"cause":"due"}"#;

/// Lets the runs go on whose time has come; one that nobody resumed in time is cancelled.
pub(crate) async fn wake_due(
    context: &Arc<Context>,
    due: Vec<WaitingRun>,
    now_ms: i64,
) -> Result<(), EngineError> {
    let ids: Vec<(WorkflowId, InvocationId)> = due
        .iter()
        .map(|run| (run.workflow_id.clone(), run.id))
        .collect();
    let stored = context
        .infra
        .store
        .write(move |c| due.iter().try_for_each(|run| end_wait(c, run, now_ms)));
    let stored = stored.await;
    // Also when it failed: it may have been kept all the same.
    for (workflow, run) in ids {
        tell_owner(context, &workflow, run);
    }
    Ok(stored?)
}

fn end_wait(c: &mut dyn Conn, run: &WaitingRun, now_ms: i64) -> Result<(), StoreError> {
    let key = run.pause_key.as_deref().unwrap_or_default();
    if !runs::claim(c, &run.workflow_id, &run.id, key)? {
        return Ok(());
    }
    if run.pause == Some(PauseKind::Suspend) {
        return runs::cancel(c, run, Some(NOT_RESUMED), now_ms);
    }
    go_on(c, (&run.workflow_id, run.id), run.depth, DUE, now_ms)
}

/// Makes a run that was claimed work of its workflow again. `payload` is JSON that says why.
pub(crate) fn go_on(
    c: &mut dyn Conn,
    (workflow, run): (&WorkflowId, InvocationId),
    depth: u32,
    payload: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let item = NewInboxItem {
        id: &run,
        kind: InboxKind::Continued,
        prop: None,
        payload,
        accepted_at: now_ms,
        depth,
    };
    inbox::insert(c, workflow, &item)
}

/// Tells the owner of a workflow of a run that goes on, once that is stored.
pub(crate) fn tell_owner(context: &Arc<Context>, workflow: &WorkflowId, run: InvocationId) {
    context
        .owners
        .of_workflow(context, workflow)
        .continue_with(run);
    // In case that owner was just leaving.
    context.owners.wake(context, workflow);
}
