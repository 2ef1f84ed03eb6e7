//! Runs of workflows. A row is written when a run begins, and kept as its history.

use sluice_model::{
    DeploymentId, InvocationId, TraceContext, WorkflowId,
    workflow::{Pause, PauseKind, RunError, RunOrigin},
};

use crate::{
    conn::{Conn, Dialect, query_all, query_one, query_opt},
    error::{Result, StoreError},
    params,
    row::{FromRow, Row, to_json},
    text_enum::text_enum,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// A replay that waits to begin. Other runs have no row until they begin.
    Queued,
    Running,
    /// Delayed or suspended.
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
}

impl RunState {
    /// Whether this is a final state.
    pub fn is_over(self) -> bool {
        match self {
            RunState::Queued | RunState::Running | RunState::Waiting => false,
            RunState::Succeeded | RunState::Failed | RunState::Cancelled => true,
        }
    }
}

text_enum!(RunState {
    Queued = "queued",
    Running = "running",
    Waiting = "waiting",
    Succeeded = "succeeded",
    Failed = "failed",
    Cancelled = "cancelled",
});

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: InvocationId,
    pub workflow_id: WorkflowId,
    pub deployment_id: DeploymentId,
    pub state: RunState,
    pub origin: RunOrigin,
    pub depth: u32,
    pub accepted_at: i64,
    pub started_at: i64,
    pub finished_at: Option<i64>,
    /// When it resumes without a request, or is cancelled.
    pub due_at: Option<i64>,
    pub pause: Option<Pause>,
    /// The permission to resume or cancel the run.
    pub pause_key: Option<String>,
    pub error: Option<RunError>,
    pub exit_reason: Option<String>,
    /// Its span since it began or resumed.
    pub trace: Option<TraceContext>,
    /// JSON.
    pub event: String,
}

/// The columns of a [`Run`], in its order, but for the event.
pub(crate) const HEAD_COLUMNS: &str = "id, workflow_id, deployment_id, state, origin, depth, \
     accepted_at, started_at, finished_at, due_at, pause, pause_key, error, exit_reason, trace";

impl FromRow for Run {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Run {
            id: row.get(0)?,
            workflow_id: row.get(1)?,
            deployment_id: row.get(2)?,
            state: row.get(3)?,
            origin: row.json(4)?,
            depth: row.get(5)?,
            accepted_at: row.get(6)?,
            started_at: row.get(7)?,
            finished_at: row.get(8)?,
            due_at: row.get(9)?,
            pause: row.json_opt(10)?,
            pause_key: row.get(11)?,
            error: row.json_opt(12)?,
            exit_reason: row.get(13)?,
            trace: row.get(14)?,
            event: row.get(15)?,
        })
    }
}

/// Inserts a run, or updates the row of one that resumes. Deferred.
pub fn begin(c: &mut dyn Conn, run: &Run) -> Result<()> {
    let Run {
        id,
        workflow_id,
        deployment_id,
        state,
        origin,
        depth,
        accepted_at,
        started_at,
        finished_at,
        due_at,
        pause,
        pause_key,
        error,
        exit_reason,
        trace,
        event,
    } = run;
    let pause = pause.as_ref().map(to_json).transpose()?;
    let error = error.as_ref().map(to_json).transpose()?;
    c.execute_later(
        &format!(
            "INSERT INTO runs ({HEAD_COLUMNS}, event, replay_of) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
             ON CONFLICT (workflow_id, id) DO UPDATE SET deployment_id = excluded.deployment_id, \
             state = excluded.state, started_at = excluded.started_at, \
             finished_at = excluded.finished_at, due_at = excluded.due_at, \
             pause = excluded.pause, pause_key = excluded.pause_key, error = excluded.error, \
             exit_reason = excluded.exit_reason, trace = excluded.trace"
        ),
        params![
            id,
            workflow_id,
            deployment_id,
            *state,
            &to_json(origin)?,
            *depth,
            *accepted_at,
            *started_at,
            *finished_at,
            *due_at,
            pause.as_ref(),
            pause_key.as_ref(),
            error.as_ref(),
            exit_reason.as_ref(),
            trace.as_ref(),
            event,
            origin.replay_of.as_ref()
        ],
    )?;
    Ok(())
}

/// Saves the fields of a run that change after it began. A wait begins now. Deferred.
pub fn update(c: &mut dyn Conn, run: &Run, now_ms: i64) -> Result<()> {
    let pause = run.pause.as_ref().map(to_json).transpose()?;
    let error = run.error.as_ref().map(to_json).transpose()?;
    c.execute_later(
        "UPDATE runs SET state = ?3, finished_at = ?4, due_at = ?5, pause = ?6, pause_key = ?7, \
         error = ?8, exit_reason = ?9, waits_from = ?10 WHERE workflow_id = ?1 AND id = ?2",
        params![
            &run.workflow_id,
            &run.id,
            run.state,
            run.finished_at,
            run.due_at,
            pause.as_ref(),
            run.pause_key.as_ref(),
            error.as_ref(),
            run.exit_reason.as_ref(),
            run.due_at.map(|_| now_ms)
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, workflow: &WorkflowId, id: &InvocationId) -> Result<Option<Run>> {
    let sql = format!("SELECT {HEAD_COLUMNS}, event FROM runs WHERE workflow_id = ?1 AND id = ?2");
    query_opt(c, &sql, params![workflow, id])
}

/// The state of a run, without its content.
pub fn state(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    id: &InvocationId,
) -> Result<Option<RunState>> {
    query_opt(
        c,
        "SELECT state FROM runs WHERE workflow_id = ?1 AND id = ?2",
        params![workflow, id],
    )
}

/// A run that waits, without its event and the context of its pause, which may be large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRun {
    pub workflow_id: WorkflowId,
    pub id: InvocationId,
    pub depth: u32,
    pub due_at: Option<i64>,
    pub pause: Option<PauseKind>,
    pub pause_key: Option<String>,
}

/// The columns of a [`WaitingRun`]. A stored pause begins with its kind; the rest of it is not read.
const WAITING_COLUMNS: &str = "workflow_id, id, depth, due_at, pause_key, substr(pause, 1, 32)";

impl FromRow for WaitingRun {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let pause: Option<String> = row.get(5)?;
        Ok(WaitingRun {
            workflow_id: row.get(0)?,
            id: row.get(1)?,
            depth: row.get(2)?,
            due_at: row.get(3)?,
            pause_key: row.get(4)?,
            pause: pause.as_deref().map(pause_kind).transpose()?,
        })
    }
}

/// The kind of a pause, from the beginning of its JSON.
pub(crate) fn pause_kind(pause: &str) -> Result<PauseKind> {
    let kind = pause.strip_prefix("{\"kind\":").and_then(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        values.next()?.ok()
    });
    kind.ok_or_else(|| StoreError::Corrupt(format!("no kind in a pause: {pause}")))
}

/// The run that waits under this key. The key is the permission.
pub fn by_pause_key(c: &mut dyn Conn, key: &str) -> Result<Option<WaitingRun>> {
    let sql =
        format!("SELECT {WAITING_COLUMNS} FROM runs WHERE pause_key = ?1 AND state = 'waiting'");
    query_opt(c, &sql, params![key])
}

/// Cancels a run that was claimed.
pub fn cancel(c: &mut dyn Conn, run: &WaitingRun, reason: Option<&str>, now_ms: i64) -> Result<()> {
    c.execute(
        "UPDATE runs SET state = ?3, finished_at = ?4, exit_reason = ?5, due_at = NULL, \
         pause = NULL, pause_key = NULL WHERE workflow_id = ?1 AND id = ?2",
        params![
            &run.workflow_id,
            &run.id,
            RunState::Cancelled,
            now_ms,
            reason
        ],
    )?;
    Ok(())
}

/// Claims the run that waits under this key, to resume or cancel it. False when it was claimed before.
pub fn claim(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    id: &InvocationId,
    key: &str,
) -> Result<bool> {
    let claimed = c.execute(
        "UPDATE runs SET due_at = NULL, pause_key = NULL WHERE workflow_id = ?1 AND id = ?2 \
         AND pause_key = ?3 AND state = 'waiting'",
        params![workflow, id, key],
    )?;
    Ok(claimed == 1)
}

/// Runs of all users that are due at `now`, the longest due first.
pub fn due(c: &mut dyn Conn, now: i64, limit: u32) -> Result<Vec<WaitingRun>> {
    query_all(c, &due_sql(), params![now, limit])
}

fn due_sql() -> String {
    format!(
        "SELECT {WAITING_COLUMNS} FROM runs WHERE due_at <= ?1 \
         ORDER BY due_at, workflow_id, id LIMIT ?2"
    )
}

/// Claims runs that are due, to resume or cancel them. Those that another node claims at the same time are left to it.
pub fn take_due(c: &mut dyn Conn, now: i64, limit: u32) -> Result<Vec<WaitingRun>> {
    let due = due_sql();
    match c.dialect() {
        Dialect::Sqlite => {
            let due: Vec<WaitingRun> = query_all(c, &due, params![now, limit])?;
            let mut taken = Vec::with_capacity(due.len());
            for run in due {
                let key = run.pause_key.as_deref().unwrap_or_default();
                if claim(c, &run.workflow_id, &run.id, key)? {
                    taken.push(run);
                }
            }
            Ok(taken)
        }
        Dialect::Postgres => {
            let sql = format!(
                "WITH due (workflow_id, id, depth, due_at, pause_key, pause) \
                 AS ({due} FOR UPDATE SKIP LOCKED) \
                 UPDATE runs SET due_at = NULL, pause_key = NULL FROM due \
                 WHERE runs.workflow_id = due.workflow_id AND runs.id = due.id \
                 AND runs.pause_key = due.pause_key AND runs.state = 'waiting' \
                 RETURNING due.workflow_id, due.id, due.depth, due.due_at, due.pause_key, due.pause"
            );
            let mut taken: Vec<WaitingRun> = query_all(c, &sql, params![now, limit])?;
            taken.sort_by_key(|run| (run.due_at, run.id));
            Ok(taken)
        }
    }
}

/// When the next run of any user is due.
pub fn next_due(c: &mut dyn Conn) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM runs WHERE due_at IS NOT NULL",
        &[],
    )
}

/// A wait with its beginning and its end.
struct Wait {
    workflow_id: WorkflowId,
    id: InvocationId,
    due_at: i64,
    from: i64,
}

impl FromRow for Wait {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Wait {
            workflow_id: row.get(0)?,
            id: row.get(1)?,
            due_at: row.get(2)?,
            from: row.get(3)?,
        })
    }
}

/// After the clock was set back: waits that began later than `now` begin now and last as long as before, `limit` of them.
/// Returns how many there were. Repeating the call changes nothing.
pub fn clamp(c: &mut dyn Conn, now: i64, limit: u32) -> Result<u64> {
    let waits: Vec<Wait> = query_all(
        c,
        "SELECT workflow_id, id, due_at, waits_from FROM runs WHERE due_at > ?1 \
         AND waits_from > ?1 ORDER BY due_at LIMIT ?2",
        params![now, limit],
    )?;
    for wait in &waits {
        let due_at = now.saturating_add(wait.due_at - wait.from);
        c.execute(
            "UPDATE runs SET due_at = ?3, waits_from = ?4 WHERE workflow_id = ?1 AND id = ?2 \
             AND due_at = ?5",
            params![&wait.workflow_id, &wait.id, due_at, now, wait.due_at],
        )?;
    }
    Ok(waits.len() as u64)
}

/// Runs in progress. Right after a start, a crash interrupted these.
pub fn running(c: &mut dyn Conn, workflow: &WorkflowId) -> Result<Vec<InvocationId>> {
    query_all(
        c,
        "SELECT id FROM runs WHERE workflow_id = ?1 AND state = 'running' ORDER BY id",
        params![workflow],
    )
}

/// How many runs began at `since` or later.
pub fn started_since(c: &mut dyn Conn, workflow: &WorkflowId, since: i64) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM runs WHERE workflow_id = ?1 AND started_at >= ?2",
        params![workflow, since],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_pause_is_read_from_its_first_characters() {
        for kind in [
            PauseKind::Delay,
            PauseKind::Suspend,
            PauseKind::Rerun,
            PauseKind::Retry,
        ] {
            let pause = Pause {
                kind,
                position: 3,
                context: Some(serde_json::json!({ "kind": "x".repeat(99) })),
            };
            let json = to_json(&pause).unwrap();
            assert_eq!(pause_kind(&json[..32]), Ok(kind));
        }
        assert!(matches!(pause_kind("{}"), Err(StoreError::Corrupt(_))));
    }
}
