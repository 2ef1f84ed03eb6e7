//! Runs that wait, as the page at their address shows them.

use sluice_model::workflow::PauseKind;

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    runs::pause_kind,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunWait {
    /// The name of the workflow.
    pub workflow: String,
    /// The step that paused the run.
    pub step: Option<String>,
    pub pause: Option<PauseKind>,
    pub due_at: Option<i64>,
}

impl FromRow for RunWait {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let pause: Option<String> = row.get(2)?;
        Ok(RunWait {
            workflow: row.get(0)?,
            step: row.get(1)?,
            pause: pause.as_deref().map(pause_kind).transpose()?,
            due_at: row.get(3)?,
        })
    }
}

/// The wait under this key. The key is the permission.
pub fn by_key(c: &mut dyn Conn, key: &str) -> Result<Option<RunWait>> {
    query_opt(
        c,
        "SELECT workflows.name, (SELECT run_steps.name FROM run_steps \
           WHERE run_steps.workflow_id = runs.workflow_id AND run_steps.run_id = runs.id \
           ORDER BY run_steps.position DESC, run_steps.attempt DESC LIMIT 1), \
         substr(runs.pause, 1, 32), runs.due_at \
         FROM runs JOIN workflows ON workflows.id = runs.workflow_id \
         WHERE runs.pause_key = ?1 AND runs.state = 'waiting'",
        params![key],
    )
}
