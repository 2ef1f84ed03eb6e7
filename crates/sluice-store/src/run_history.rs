//! Runs as users see them: in pages, and in ranges to replay.

use sluice_model::{InvocationId, WorkflowId, workflow::RunOrigin};

use crate::{
    batch_limit::BatchLimit,
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    run_steps::StepRecord,
    runs::{HEAD_COLUMNS, Run, RunState},
};

/// Bounds that every id lies between.
const LOWEST: &str = "";
const HIGHEST: &str = "~";

/// How much of each large text a list reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Whole,
    /// The first so many characters.
    Start(u32),
}

impl Content {
    fn of(self, column: &str) -> String {
        match self {
            Content::Whole => column.to_owned(),
            Content::Start(characters) => format!("substr({column}, 1, {characters})"),
        }
    }
}

/// Which runs of a workflow to list. `after` asks for the runs that follow a run in the list, which are older; `before` asks
/// for newer ones, and alone for those nearest to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub state: Option<RunState>,
    pub after: Option<InvocationId>,
    pub before: Option<InvocationId>,
    /// Bytes count when runs are read whole. One run is always read, if there is any.
    pub limit: BatchLimit,
    pub content: Content,
}

/// A run whose event is as long as the list reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRun {
    pub run: Run,
    /// The length of the whole event.
    pub event_bytes: u64,
}

impl FromRow for ListedRun {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ListedRun {
            run: Run::from_row(row)?,
            event_bytes: row.get(16)?,
        })
    }
}

/// A page of the runs of a workflow, newest first.
pub fn page(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    selection: &Selection,
) -> Result<Vec<ListedRun>> {
    let Selection {
        state,
        after,
        before,
        limit,
        content,
    } = selection;
    let order = if before.is_some() && after.is_none() {
        "id"
    } else {
        "id DESC"
    };
    let bytes = match content {
        Content::Whole => {
            "octet_length(event) + COALESCE((SELECT SUM(octet_length(exports) \
             + octet_length(logs) + COALESCE(octet_length(inputs), 0)) FROM run_steps s \
             WHERE s.workflow_id = runs.workflow_id AND s.run_id = runs.id), 0)"
        }
        Content::Start(_) => "0",
    };
    // Lengths select the rows before a text is read.
    let sql = format!(
        "SELECT {HEAD_COLUMNS}, {}, CAST(octet_length(event) AS BIGINT) \
         FROM (SELECT id AS run_id, ROW_NUMBER() OVER w AS place, \
         CAST(SUM(bytes) OVER w AS BIGINT) AS total FROM (SELECT id, {bytes} AS bytes FROM runs \
         WHERE workflow_id = ?1 {} AND id < ?2 AND id > ?3 ORDER BY {order} LIMIT ?4) page_rows \
         WINDOW w AS (ORDER BY {order})) page CROSS JOIN runs \
         WHERE workflow_id = ?1 AND id = page.run_id AND (page.place = 1 OR page.total <= ?5)",
        content.of("event"),
        in_state(*state)
    );
    let below = after.as_ref().map_or(HIGHEST, InvocationId::as_str);
    let above = before.as_ref().map_or(LOWEST, InvocationId::as_str);
    let mut runs: Vec<ListedRun> = query_all(
        c,
        &sql,
        params![workflow, below, above, limit.rows, limit.bytes],
    )?;
    runs.sort_by_key(|listed| std::cmp::Reverse(listed.run.id));
    Ok(runs)
}

/// A record of a step whose exports, logs and inputs are as long as the list reads them.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedStep {
    pub record: StepRecord,
    /// The length of all exports.
    pub exports_bytes: u64,
    /// The length of all logs.
    pub logs_bytes: u64,
    /// The length of all inputs.
    pub inputs_bytes: u64,
}

impl FromRow for ListedStep {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ListedStep {
            record: StepRecord::from_row(row)?,
            exports_bytes: row.get(11)?,
            logs_bytes: row.get(12)?,
            inputs_bytes: row.get(13)?,
        })
    }
}

/// The steps of a run in the order in which they ran.
pub fn steps(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    content: Content,
) -> Result<Vec<ListedStep>> {
    let sql = format!(
        "SELECT position, attempt, name, state, started_at, duration_ms, error, {}, {}, pause, {}, \
         CAST(octet_length(exports) AS BIGINT), CAST(octet_length(logs) AS BIGINT), \
         CAST(COALESCE(octet_length(inputs), 0) AS BIGINT) \
         FROM run_steps WHERE workflow_id = ?1 AND run_id = ?2 ORDER BY position, attempt",
        content.of("logs"),
        content.of("exports"),
        content.of("inputs")
    );
    query_all(c, &sql, params![workflow, run])
}

/// One run of a list.
pub fn listed(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    content: Content,
) -> Result<Option<ListedRun>> {
    let sql = format!(
        "SELECT {HEAD_COLUMNS}, {}, CAST(octet_length(event) AS BIGINT) FROM runs \
         WHERE workflow_id = ?1 AND id = ?2",
        content.of("event")
    );
    query_opt(c, &sql, params![workflow, run])
}

/// How many runs [`page`] has in all.
pub fn count(c: &mut dyn Conn, workflow: &WorkflowId, state: Option<RunState>) -> Result<u64> {
    let in_state = in_state(state);
    let sql = format!("SELECT COUNT(*) FROM runs WHERE workflow_id = ?1 {in_state}");
    query_one(c, &sql, params![workflow])
}

/// A condition rather than a parameter, so that both databases find the index that suits.
pub(crate) fn in_state(state: Option<RunState>) -> String {
    state.map_or_else(String::new, |state| {
        format!("AND runs.state = '{}'", state.as_str())
    })
}

/// The fields of a run that decide whether to replay it.
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
