//! Searches the runs of a workflow.

use std::collections::HashMap;

use sluice_model::{InvocationId, WorkflowId, id_gen::lowest_at};

use super::{
    criteria::Search,
    run_record::{RUN_COLUMNS, RunRecord, RunRow, STEP_COLUMNS, StepRow},
    step::{Direction, Part, Step},
};
use crate::{
    batch_limit::SizedRow,
    conn::{Conn, query_all},
    error::Result,
    params,
    run_history::in_state,
    runs::RunState,
};

/// The matches among the runs of a part. The time of a run is when its event was accepted.
pub fn runs(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    state: Option<RunState>,
    search: &Search,
    part: &Part<InvocationId>,
) -> Result<Step<InvocationId, InvocationId>> {
    let state = state.or_else(|| required_state(search));
    let rows = keys(c, workflow, state, search, part)?;
    let selected = part.select(rows);
    let mut found = match (&search.query, selected.ends()) {
        (None, _) | (_, None) => selected.keys.iter().map(|id| (*id, *id)).collect(),
        (Some(query), Some(ends)) => {
            let matching = matching(c, workflow, state, ends, &|record| query.matches(record))?;
            let keys = selected.keys.iter().filter(|id| matching.contains(id));
            keys.map(|id| (*id, *id)).collect::<Vec<_>>()
        }
    };
    found.truncate(part.wanted);
    Ok(selected.step(part, found))
}

/// The state of all matches, if there is one.
fn required_state(search: &Search) -> Option<RunState> {
    let query = search.query.as_ref()?;
    let value = query
        .required_value("state")
        .or_else(|| query.required_value("status"))?;
    RunState::parse(&value.to_ascii_lowercase())
}

/// The ids of a part with the size of what is read to compare them.
fn keys(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    state: Option<RunState>,
    search: &Search,
    part: &Part<InvocationId>,
) -> Result<Vec<SizedRow<InvocationId>>> {
    let size = match search.query {
        None => "CAST(0 AS BIGINT)",
        Some(_) => {
            "CAST(octet_length(event) + COALESCE((SELECT SUM(octet_length(exports) + octet_length(logs) \
             + COALESCE(octet_length(inputs), 0)) \
             FROM run_steps s WHERE s.workflow_id = runs.workflow_id AND s.run_id = runs.id), 0) AS BIGINT)"
        }
    };
    let sql = format!(
        "SELECT id, {size} FROM runs WHERE workflow_id = ?1 {} AND id > ?2 AND id < ?3 \
         AND id >= ?4 AND id < ?5 ORDER BY {} LIMIT ?6",
        in_state(state),
        part.direction.order(&["id"]),
    );
    let from = part.from.as_ref().map(InvocationId::as_str);
    let (above, below) = match part.direction {
        Direction::Older => ("", from.unwrap_or("~")),
        Direction::Newer => (from.unwrap_or_default(), "~"),
    };
    let since = search.since.map_or_else(String::new, lowest_at);
    let until = search.until.map(|ms| lowest_at(ms.saturating_add(1)));
    let until = until.unwrap_or_else(|| "~".to_owned());
    query_all(
        c,
        &sql,
        params![workflow, above, below, &since, &until, part.rows],
    )
}

/// The runs in a state from one id to another, both included, whose records are admitted.
fn matching(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    state: Option<RunState>,
    (low, high): (InvocationId, InvocationId),
    admits: &dyn Fn(&RunRecord) -> bool,
) -> Result<Vec<InvocationId>> {
    let selected = format!(
        "runs.workflow_id = ?1 AND runs.id >= ?2 AND runs.id <= ?3 {}",
        in_state(state)
    );
    let steps = format!(
        "SELECT {STEP_COLUMNS} FROM runs CROSS JOIN run_steps s WHERE {selected} \
         AND s.workflow_id = runs.workflow_id AND s.run_id = runs.id ORDER BY s.run_id, position, attempt"
    );
    let mut by_run: HashMap<InvocationId, Vec<StepRow>> = HashMap::new();
    for step in query_all::<StepRow>(c, &steps, params![workflow, &low, &high])? {
        by_run.entry(step.run).or_default().push(step);
    }
    let runs = format!("SELECT {RUN_COLUMNS}, event FROM runs WHERE {selected}");
    let runs: Vec<RunRow> = query_all(c, &runs, params![workflow, &low, &high])?;
    let matches = runs.iter().filter(|run| {
        let steps = by_run.get(&run.id).map_or(&[][..], Vec::as_slice);
        admits(&RunRecord::new(run, steps))
    });
    Ok(matches.map(|run| run.id).collect())
}
