//! Maps a stored run to the API, with previews of large values.

use serde_json::value::{RawValue, to_raw_value};
use sluice_api::{ErrorPlace, Run, RunSend, RunStep, RunWait};
use sluice_app::RunView;
use sluice_engine::owner::RunUrls;
use sluice_infra::Settings;
use sluice_model::workflow::Pause;
use sluice_store::{
    run_history::ListedStep,
    runs::{self, RunState},
    sends::SendSummary,
};

use crate::{
    error::ApiError,
    routes::summary::{Detail, MAX_WHOLE, preview},
};

pub(super) fn on_the_wire(
    view: RunView,
    detail: Detail,
    settings: &Settings,
) -> Result<Run, ApiError> {
    let RunView {
        run,
        event_bytes,
        version,
        waits_at,
        steps,
        sends,
        places,
    } = view;
    let started_at_ms = (run.state != RunState::Queued).then_some(run.started_at);
    let ended = run.finished_at.zip(started_at_ms);
    let pause = run.pause.as_ref();
    let waits_for = pause
        .filter(|_| run.state == RunState::Waiting)
        .map(|pause| wait(&run, pause, waits_at, settings));
    let places_of_steps = places.steps.into_iter().chain(std::iter::repeat(None));
    let steps = steps.into_iter().zip(places_of_steps);
    let steps = steps.map(|(listed, place)| step(listed, place, detail));
    Ok(Run {
        steps: steps.collect::<Result<_, _>>()?,
        sends: sends.into_iter().map(send).collect(),
        event: shown(run.event, event_bytes, detail)?,
        waits_for,
        id: run.id,
        workflow_id: run.workflow_id,
        deployment_id: run.deployment_id,
        version,
        state: run.state.as_str().to_owned(),
        source_type: run.origin.source_type,
        emitter_id: run.origin.emitter_id,
        replay_of: run.origin.replay_of,
        accepted_at_ms: run.accepted_at,
        started_at_ms,
        finished_at_ms: run.finished_at,
        duration_ms: ended.map(|(end, start)| (end - start).max(0)),
        due_at_ms: run.due_at,
        error: run.error,
        error_place: places.run.map(error_place),
        exit_reason: run.exit_reason,
    })
}

pub(super) fn wait(
    run: &runs::Run,
    pause: &Pause,
    step: Option<String>,
    settings: &Settings,
) -> RunWait {
    let addresses = run
        .pause_key
        .as_deref()
        .map(|key| RunUrls::of(settings, key));
    let (resume_url, cancel_url) = addresses
        .map(|addresses| (addresses.resume_url, addresses.cancel_url))
        .unzip();
    RunWait {
        kind: pause.kind,
        step,
        resume_url,
        cancel_url,
    }
}

pub(super) fn step(
    listed: ListedStep,
    place: Option<sluice_app::ErrorPlace>,
    detail: Detail,
) -> Result<RunStep, ApiError> {
    let ListedStep {
        record,
        exports_bytes,
        logs_bytes,
        inputs_bytes,
    } = listed;
    let inputs = record.inputs.map(|json| shown(json, inputs_bytes, detail));
    Ok(RunStep {
        name: record.name,
        position: record.position,
        attempt: record.attempt,
        state: record.state.as_str().to_owned(),
        started_at_ms: record.started_at,
        duration_ms: record.duration_ms,
        inputs: inputs.transpose()?,
        exports: shown(record.exports, exports_bytes, detail)?,
        logs: shown(record.logs, logs_bytes, detail)?,
        error: record.error,
        error_place: place.map(error_place),
        waited_for: record.pause,
    })
}

pub(super) fn error_place(place: sluice_app::ErrorPlace) -> ErrorPlace {
    let sluice_app::ErrorPlace {
        file,
        line,
        column,
        first_line,
        excerpt,
    } = place;
    ErrorPlace {
        file,
        line,
        column,
        first_line,
        excerpt,
    }
}

pub(super) fn send(row: SendSummary) -> RunSend {
    RunSend {
        id: row.id.to_string(),
        step: row.step,
        kind: row.kind.as_str().to_owned(),
        state: row.state.as_str().to_owned(),
        tries: row.tries,
        result: row.result,
    }
}

/// `bytes` is the length of the whole text, of which a preview needs the beginning only.
fn shown(json: String, bytes: u64, detail: Detail) -> Result<Box<RawValue>, ApiError> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let shown = match detail {
        Detail::Preview if bytes > MAX_WHOLE => to_raw_value(&preview(&json, bytes)),
        Detail::Preview | Detail::Whole => RawValue::from_string(json),
    };
    shown.map_err(|error| ApiError::internal("the stored run is corrupt", error))
}
