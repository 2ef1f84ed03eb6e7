//! Maps the run of an action to the API.

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};
use sluice_api::{ActionRun, RanAction};
use sluice_app::ActionRunView;
use sluice_infra::Settings;
use sluice_store::runs::RunState;

use crate::{
    error::ApiError,
    routes::run_view::{send, wait},
};

/// The export that holds the returned value.
const RETURN_VALUE: &str = "$return_value";

/// The outcome of an action.
struct Outcome {
    return_value: Box<RawValue>,
    exports: Map<String, Value>,
    logs: Box<RawValue>,
}

pub(super) fn on_the_wire(view: ActionRunView, settings: &Settings) -> Result<ActionRun, ApiError> {
    let ActionRunView {
        run,
        action,
        props,
        step,
        sends,
    } = view;
    // The value of a run that waits says only how it is resumed.
    let outcome = step
        .filter(|_| run.finished_at.is_some())
        .map(|step| Outcome::read(&step.record.exports, step.record.logs))
        .transpose()
        .map_err(|error| ApiError::internal("the stored run is corrupt", error))?;
    let started_at_ms = (run.state != RunState::Queued).then_some(run.started_at);
    let ended = run.finished_at.zip(started_at_ms);
    let pause = run.pause.as_ref();
    let waits_for = pause
        .filter(|_| run.state == RunState::Waiting)
        .map(|pause| wait(&run, pause, None, settings));
    let (return_value, exports, logs) = outcome.map_or((None, None, None), |outcome| {
        (
            Some(outcome.return_value),
            Some(outcome.exports),
            Some(outcome.logs),
        )
    });
    Ok(ActionRun {
        waits_for,
        id: run.id,
        action: action.map(|action| RanAction {
            component_id: action.component_id,
            key: action.key,
            name: action.name,
            version: action.version,
        }),
        state: run.state.as_str().to_owned(),
        configured_props: props,
        return_value,
        exports,
        logs,
        sends: sends.into_iter().map(send).collect(),
        error: run.error,
        replay_of: run.origin.replay_of,
        key_id: run.origin.key_id,
        accepted_at_ms: run.accepted_at,
        started_at_ms,
        finished_at_ms: run.finished_at,
        duration_ms: ended.map(|(end, start)| (end - start).max(0)),
    })
}

impl Outcome {
    fn read(exports: &str, logs: String) -> Result<Outcome, serde_json::Error> {
        let mut exports: Map<String, Value> = serde_json::from_str(exports)?;
        let returned = exports.remove(RETURN_VALUE).unwrap_or_default();
        Ok(Outcome {
            return_value: to_raw_value(&returned)?,
            exports,
            logs: RawValue::from_string(logs)?,
        })
    }
}
