//! A run as a search sees it.

use serde_json::{Map, Value as Json, json};
use sluice_model::{
    InvocationId,
    search::Record,
    workflow::{RunError, RunOrigin},
};

use super::json::value_of;
use crate::{
    error::Result,
    row::{FromRow, Row},
    runs::RunState,
};

/// The columns of a [`RunRow`] without its event, which is the last one.
pub(super) const RUN_COLUMNS: &str = "id, state, origin, started_at, finished_at, error, exit_reason, \
     (SELECT number FROM deployments d WHERE d.id = runs.deployment_id)";

pub(super) struct RunRow {
    pub(super) id: InvocationId,
    state: RunState,
    origin: RunOrigin,
    started_at: i64,
    finished_at: Option<i64>,
    error: Option<RunError>,
    exit_reason: Option<String>,
    version: Option<i64>,
    event: String,
}

impl FromRow for RunRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(RunRow {
            id: row.get(0)?,
            state: row.get(1)?,
            origin: row.json(2)?,
            started_at: row.get(3)?,
            finished_at: row.get(4)?,
            error: row.json_opt(5)?,
            exit_reason: row.get(6)?,
            version: row.get(7)?,
            event: row.get(8)?,
        })
    }
}

/// The columns of a [`StepRow`].
pub(super) const STEP_COLUMNS: &str = "s.run_id, s.name, s.exports, s.logs, s.inputs";

pub(super) struct StepRow {
    pub(super) run: InvocationId,
    name: String,
    exports: String,
    logs: String,
    inputs: Option<String>,
}

impl FromRow for StepRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(StepRow {
            run: row.get(0)?,
            name: row.get(1)?,
            exports: row.get(2)?,
            logs: row.get(3)?,
            inputs: row.get(4)?,
        })
    }
}

/// Words are looked for in the event, the errors, and the names, inputs, exports and logs of steps. A path begins at a field of the run,
/// or else in its event.
pub(super) struct RunRecord {
    fields: Json,
    logs: Json,
}

impl RunRecord {
    pub(super) fn new(run: &RunRow, steps: &[StepRow]) -> RunRecord {
        let end = run.finished_at.filter(|_| run.state.is_over());
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        let mut fields = json!({
            "id": run.id.as_str(),
            "state": run.state.as_str(),
            "status": run.state.as_str(),
            "trigger": run.origin.source_type,
            "emitter": run.origin.emitter_id,
            "replay_of": run.origin.replay_of,
            "version": run.version,
            "duration_ms": end.map(|end| (end - run.started_at).max(0)),
            "exit_reason": run.exit_reason,
            "step": names,
            "steps": exports_of(steps),
            "inputs": inputs_of(steps),
            "event": value_of(&run.event),
        });
        // `error` alone is its message.
        if let Some(RunError {
            step,
            code,
            message,
            ..
        }) = &run.error
        {
            fields["error"] = json!([message, { "step": step, "code": code, "message": message }]);
        }
        let logs = steps.iter().map(|step| value_of(&step.logs)).collect();
        RunRecord { fields, logs }
    }
}

/// The exports of each step. Those of a later attempt replace the earlier ones.
fn exports_of(steps: &[StepRow]) -> Map<String, Json> {
    let exports = steps.iter();
    exports
        .map(|step| (step.name.clone(), value_of(&step.exports)))
        .collect()
}

/// The inputs of each step, likewise.
fn inputs_of(steps: &[StepRow]) -> Map<String, Json> {
    let recorded = steps.iter().filter_map(|step| {
        let inputs = step.inputs.as_deref()?;
        Some((step.name.clone(), value_of(inputs)))
    });
    recorded.collect()
}

impl Record for RunRecord {
    fn texts(&self) -> Vec<&Json> {
        let searched = ["event", "error", "exit_reason", "steps", "inputs"];
        let searched = searched.iter().filter_map(|name| self.fields.get(name));
        let searched = searched.filter(|value| !value.is_null());
        searched.chain([&self.logs]).collect()
    }

    fn roots<'p>(&self, path: &'p [String]) -> Vec<(&Json, &'p [String])> {
        let is_field = path
            .first()
            .is_some_and(|name| self.fields.get(name).is_some());
        let root = if is_field {
            &self.fields
        } else {
            &self.fields["event"]
        };
        vec![(root, path)]
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::{IdGen, SearchQuery};

    use super::*;

    fn step(run: InvocationId, name: &str, exports: &str) -> StepRow {
        StepRow {
            run,
            name: name.to_owned(),
            exports: exports.to_owned(),
            logs: r#"[{"ts":1,"level":"info","message":"charging"}]"#.to_owned(),
            inputs: (name == "charge").then(|| r#"{"card":{"brand":"Visa"}}"#.to_owned()),
        }
    }

    fn record() -> RunRecord {
        let id = InvocationId::generate(&mut IdGen::new(1), 5);
        let run = RunRow {
            id,
            state: RunState::Failed,
            origin: RunOrigin {
                source_type: "http".to_owned(),
                emitter_id: None,
                event_id: None,
                replay_of: None,
                key_id: None,
            },
            started_at: 1_000,
            finished_at: Some(3_500),
            error: Some(RunError {
                step: Some("charge".to_owned()),
                code: "TypeError".to_owned(),
                message: "card declined".to_owned(),
                stack: String::new(),
                prop: None,
            }),
            exit_reason: None,
            version: Some(3),
            event: r#"{"body":{"total":120},"state":"odd"}"#.to_owned(),
        };
        let steps = [
            step(id, "load", r#"{"$return_value":{"plan":"gold"}}"#),
            step(id, "charge", "{}"),
        ];
        RunRecord::new(&run, &steps)
    }

    #[test]
    fn a_run_is_found_by_its_fields_its_steps_and_its_event() {
        for (text, expected) in [
            ("state:failed", true),
            ("status:failed", true),
            ("trigger:http", true),
            ("version:3", true),
            ("duration_ms:>2000", true),
            ("error:*declined*", true),
            ("error.step:charge", true),
            ("error.code:TypeError", true),
            ("step:load", true),
            ("steps.load.$return_value.plan:gold", true),
            ("event.body.total:>100", true),
            ("body.total:120", true),
            ("inputs.charge.card.brand:visa", true),
            ("inputs.load:*", false),
            ("visa", true),
            ("gold", true),
            ("declined", true),
            ("charging", true),
            ("load", true),
            ("state:odd", false),
            ("event.state:odd", true),
            ("step:missing", false),
            ("failed", false),
            ("emitter:*", false),
        ] {
            let query = SearchQuery::parse(text).unwrap().unwrap();
            assert_eq!(query.matches(&record()), expected, "{text}");
        }
    }
}
