//! The steps of runs: one row for each execution of a step.

use sluice_model::{
    InvocationId, WorkflowId,
    workflow::{PauseKind, RunError},
};

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
    text_enum::text_enum,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    Completed,
    Failed,
    /// It asked to run again.
    Repeated,
}

text_enum!(StepState {
    Completed = "completed",
    Failed = "failed",
    Repeated = "repeated",
});

#[derive(Debug, Clone, PartialEq)]
pub struct StepRecord {
    /// Counted from 0.
    pub position: u32,
    /// Counted from 1 for each position.
    pub attempt: u32,
    pub name: String,
    pub state: StepState,
    pub started_at: i64,
    pub duration_ms: u64,
    pub error: Option<RunError>,
    /// JSON: a list of log lines.
    pub logs: String,
    /// JSON: an object.
    pub exports: String,
    /// JSON: an object with the values of its props, without secrets. None if it did not get as far.
    pub inputs: Option<String>,
    /// The pause of the run after it.
    pub pause: Option<PauseKind>,
}

const COLUMNS: &str =
    "position, attempt, name, state, started_at, duration_ms, error, logs, exports, pause, inputs";

impl FromRow for StepRecord {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(StepRecord {
            position: row.get(0)?,
            attempt: row.get(1)?,
            name: row.get(2)?,
            state: row.get(3)?,
            started_at: row.get(4)?,
            duration_ms: row.get(5)?,
            error: row.json_opt(6)?,
            logs: row.get(7)?,
            exports: row.get(8)?,
            pause: row.json_opt(9)?,
            inputs: row.get(10)?,
        })
    }
}

/// Conflicts when this attempt is recorded already. Deferred.
pub fn insert(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    record: &StepRecord,
) -> Result<()> {
    let StepRecord {
        position,
        attempt,
        name,
        state,
        started_at,
        duration_ms,
        error,
        logs,
        exports,
        pause,
        inputs,
    } = record;
    let error = error.as_ref().map(to_json).transpose()?;
    let pause = pause.as_ref().map(to_json).transpose()?;
    c.execute_later(
        &format!(
            "INSERT INTO run_steps (workflow_id, run_id, {COLUMNS}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        ),
        params![
            workflow,
            run,
            *position,
            *attempt,
            name,
            *state,
            *started_at,
            *duration_ms,
            error.as_ref(),
            logs,
            exports,
            pause.as_ref(),
            inputs.as_ref()
        ],
    )?;
    Ok(())
}

/// All steps of a run, in the order of execution.
pub fn of_run(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
) -> Result<Vec<StepRecord>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM run_steps WHERE workflow_id = ?1 AND run_id = ?2 \
         ORDER BY position, attempt"
    );
    query_all(c, &sql, params![workflow, run])
}

/// Replaces the exports of a recorded step. Deferred.
pub fn set_exports(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    record: &StepRecord,
) -> Result<()> {
    c.execute_later(
        "UPDATE run_steps SET exports = ?5 WHERE workflow_id = ?1 AND run_id = ?2 \
         AND position = ?3 AND attempt = ?4",
        params![
            workflow,
            run,
            record.position,
            record.attempt,
            &record.exports
        ],
    )?;
    Ok(())
}

/// Whether this attempt is recorded.
pub fn contains(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    record: &StepRecord,
) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM run_steps WHERE workflow_id = ?1 AND run_id = ?2 \
         AND position = ?3 AND attempt = ?4)",
        params![workflow, run, record.position, record.attempt],
    )
}
