//! Restoring the progress of a stored run.

use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_model::workflow::PauseKind;
use sluice_store::{
    run_steps::{StepRecord, StepState},
    runs::Run,
    sends::SendRow,
};

use super::Progress;

/// The inbox payload of a run that continues.
#[derive(Deserialize)]
pub(crate) struct Continuation {
    #[serde(default)]
    pub(crate) request: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct RequestBody {
    body: Option<Box<RawValue>>,
}

impl Progress {
    /// The progress of a stored run. When it was resumed by a request, the step that waited exports that request; its record
    /// is returned, to be stored.
    pub(crate) fn restored(
        mut run: Run,
        records: Vec<StepRecord>,
        held: Vec<SendRow>,
        continuation: Option<Continuation>,
    ) -> (Progress, Option<StepRecord>) {
        let pause = run.pause.take();
        let mut progress = Progress::new(run);
        progress.held = held;
        let mut last_completed = None;
        for record in records {
            if record.position as usize == progress.exports.len() {
                progress.attempts = record.attempt;
                match record.state {
                    StepState::Completed => {
                        progress.attempts = 0;
                        progress.failures = 0;
                        progress
                            .exports
                            .push((record.name.clone(), record.exports.clone()));
                        last_completed = Some(record);
                    }
                    StepState::Failed => progress.failures += 1,
                    StepState::Repeated => progress.failures = 0,
                }
            }
        }
        let request = continuation.and_then(|continuation| continuation.request);
        match pause.as_ref().map(|pause| pause.kind) {
            Some(PauseKind::Rerun) => {
                let next = progress.position();
                // It may have run again already, before a crash in a step after it.
                if let Some(pause) = pause.filter(|pause| pause.position as usize == next) {
                    progress.rerun_context = pause.context;
                    progress.callback = request;
                }
                (progress, None)
            }
            Some(PauseKind::Delay | PauseKind::Suspend) => {
                let resumed = request.and_then(|request| {
                    let mut record = last_completed?;
                    record.exports = with_resume_data(&record.exports, &request)?;
                    if let Some((_, exports)) = progress.exports.last_mut() {
                        exports.clone_from(&record.exports);
                    }
                    Some(record)
                });
                (progress, resumed)
            }
            Some(PauseKind::Retry) | None => (progress, None),
        }
    }
}

/// Exports with the body of the request that resumed the run as `$resume_data`.
fn with_resume_data(exports: &str, request: &RawValue) -> Option<String> {
    let request: RequestBody = serde_json::from_str(request.get()).ok()?;
    let data = request.body?;
    let open = exports.trim_end().strip_suffix('}')?;
    let comma = if open.trim_end().ends_with('{') {
        ""
    } else {
        ","
    };
    Some(format!("{open}{comma}\"$resume_data\":{data}}}"))
}
