//! Deletes runs that are over, with their steps and sends. Runs that are in progress or have pending sends stay.
//!
//! The search reads many rows, so it runs as a read beside the writers. Only the removal is a write.

use sluice_model::{InvocationId, WorkflowId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// The key of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKey {
    pub workflow: WorkflowId,
    pub run: InvocationId,
}

impl FromRow for RunKey {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(RunKey {
            workflow: row.get(0)?,
            run: row.get(1)?,
        })
    }
}

/// Of runs `r`.
const IS_OVER: &str = "r.finished_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sends s \
     WHERE s.workflow_id = r.workflow_id AND s.run_id = r.id AND s.due_at IS NOT NULL)";

/// Runs of a workflow that are over, beyond its newest `keep` runs, the oldest first, `limit` at most.
pub fn beyond(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    keep: u64,
    limit: u32,
) -> Result<Vec<RunKey>> {
    let sql = format!(
        "SELECT r.workflow_id, r.id FROM runs r WHERE r.workflow_id = ?1 AND r.id <= \
         (SELECT id FROM runs WHERE workflow_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2) \
         AND {IS_OVER} ORDER BY r.id LIMIT ?3"
    );
    query_all(c, &sql, params![workflow, keep, limit])
}

/// Runs of all users that ended before a time, `limit` at most.
pub fn older_than(c: &mut dyn Conn, ended_before: i64, limit: u32) -> Result<Vec<RunKey>> {
    // Workflow by workflow: there is an index on the start of each one's runs, none on that of all.
    let sql = format!(
        "SELECT r.workflow_id, r.id FROM workflows w CROSS JOIN runs r WHERE r.workflow_id = w.id \
         AND r.started_at < ?1 AND r.finished_at < ?1 AND {IS_OVER} LIMIT ?2"
    );
    query_all(c, &sql, params![ended_before, limit])
}

/// Removes runs that are over, with their steps and sends. In the order of their keys, so that two servers that remove the same
/// ones do not lock each other out.
pub fn remove(c: &mut dyn Conn, mut runs: Vec<RunKey>) -> Result<()> {
    runs.sort();
    for RunKey { workflow, run } in &runs {
        for belongings in [
            // Each run of an action has a version of its own.
            "DELETE FROM deployments WHERE id = (SELECT deployment_id FROM runs \
             WHERE workflow_id = ?1 AND id = ?2) AND EXISTS (SELECT 1 FROM workflows w \
             WHERE w.id = ?1 AND w.internal AND w.deployment_id <> deployments.id)",
            "DELETE FROM runs WHERE workflow_id = ?1 AND id = ?2",
            "DELETE FROM run_steps WHERE workflow_id = ?1 AND run_id = ?2",
            "DELETE FROM sends WHERE workflow_id = ?1 AND run_id = ?2",
        ] {
            c.execute(belongings, params![workflow, run])?;
        }
    }
    Ok(())
}
