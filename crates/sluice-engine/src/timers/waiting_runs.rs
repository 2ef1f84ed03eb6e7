//! Waiting runs: they continue when they are due, or when they are resumed.

use sluice_infra::Infra;
use sluice_model::{InvocationId, WorkflowId, workflow::PauseKind};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxKind, NewInboxItem},
    runs::{self, WaitingRun},
};

use super::batch::BATCH;
use crate::owner::Owners;

/// The exit reason of a suspended run that was not resumed in time.
const NOT_RESUMED: &str = "nobody resumed the run in time";
const DUE: &str = r#"{"cause":"due"}"#;

/// Continues runs that are due. A suspended run that was not resumed in time is cancelled. Returns how many there were.
pub(super) async fn continue_due(
    infra: &Infra,
    owners: &Owners,
    due: Vec<WaitingRun>,
) -> Result<usize, StoreError> {
    if due.is_empty() {
        return Ok(0);
    }
    let now_ms = infra.now_ms();
    let write = infra.store.write(move |c| {
        let due = runs::take_due(c, now_ms, BATCH)?;
        due.iter().try_for_each(|run| end_wait(c, run, now_ms))?;
        Ok(due)
    });
    let stored = write.await;
    // After an error all of them: a commit whose reply was lost may have been kept.
    for run in stored.as_deref().unwrap_or(&due) {
        if infra.cluster.is_alone() {
            wake_owner(owners, &run.workflow_id, run.id);
        } else {
            owners.wake(&run.workflow_id);
        }
    }
    stored.map(|ended| ended.len())
}

fn end_wait(c: &mut dyn Conn, run: &WaitingRun, now_ms: i64) -> Result<(), StoreError> {
    if run.pause == Some(PauseKind::Suspend) {
        return runs::cancel(c, run, Some(NOT_RESUMED), now_ms);
    }
    continue_run(c, (&run.workflow_id, run.id), run.depth, DUE, now_ms)
}

/// Puts a claimed run back into the inbox. `payload` is JSON with the cause.
pub fn continue_run(
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
        reply_to: None,
        trace: None,
    };
    inbox::insert(c, workflow, &item)
}

/// Tells the owner of a workflow about a stored run that continues.
pub fn wake_owner(owners: &Owners, workflow: &WorkflowId, run: InvocationId) {
    if owners.elsewhere(workflow).is_none() {
        owners.workflow(workflow).continue_run(run);
    }
    // That owner may be stopping: the next one finds the row in the inbox.
    owners.wake(workflow);
}
