//! Runs as their users look back on them: in pages, and in ranges to be run again.

use sluice_model::{InvocationId, WorkflowId, workflow::RunOrigin};

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    params,
    row::{FromRow, Row},
    runs::{COLUMNS, Run, RunState},
};

/// Bounds that every id lies between.
const LOWEST: &str = "";
const HIGHEST: &str = "~";

/// A page of the runs of a workflow, newest first. `after` asks for what follows a run in that order: older ones. `before`
/// asks for newer ones, and alone for those nearest to it.
pub fn page(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    state: Option<RunState>,
    limit: u32,
    after: Option<InvocationId>,
    before: Option<InvocationId>,
) -> Result<Vec<Run>> {
    let nearest_first = if before.is_some() && after.is_none() {
        "id"
    } else {
        "id DESC"
    };
    let in_state = in_state(state);
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE workflow_id = ?1 {in_state} AND id < ?2 AND id > ?3 \
         ORDER BY {nearest_first} LIMIT ?4"
    );
    let below = after.as_ref().map_or(HIGHEST, InvocationId::as_str);
    let above = before.as_ref().map_or(LOWEST, InvocationId::as_str);
    let mut runs: Vec<Run> = query_all(c, &sql, params![workflow, below, above, limit])?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    Ok(runs)
}

/// How many runs [`page`] has in all.
pub fn count(c: &mut dyn Conn, workflow: &WorkflowId, state: Option<RunState>) -> Result<u64> {
    let in_state = in_state(state);
    let sql = format!("SELECT COUNT(*) FROM runs WHERE workflow_id = ?1 {in_state}");
    query_one(c, &sql, params![workflow])
}

/// A condition rather than a parameter, so that both databases find the index that suits.
fn in_state(state: Option<RunState>) -> String {
    state.map_or_else(String::new, |state| {
        format!("AND state = '{}'", state.as_str())
    })
}

/// What tells whether a run is to be run again.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub id: InvocationId,
    pub state: RunState,
    pub origin: RunOrigin,
}

impl FromRow for Outline {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Outline {
            id: row.get(0)?,
            state: row.get(1)?,
            origin: row.json(2)?,
        })
    }
}

/// The runs from `start` to `end`, both included and open where there is none, newest first; of those older than `after`,
/// `limit` at most.
pub fn outlines(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    (start, end): (Option<InvocationId>, Option<InvocationId>),
    after: Option<InvocationId>,
    limit: u32,
) -> Result<Vec<Outline>> {
    let text =
        |id: Option<&InvocationId>, none: &str| id.map_or(none, InvocationId::as_str).to_owned();
    query_all(
        c,
        "SELECT id, state, origin FROM runs WHERE workflow_id = ?1 AND id >= ?2 AND id <= ?3 \
         AND id < ?4 ORDER BY id DESC LIMIT ?5",
        params![
            workflow,
            &text(start.as_ref(), LOWEST),
            &text(end.as_ref(), HIGHEST),
            &text(after.as_ref(), HIGHEST),
            limit
        ],
    )
}
