//! The progress of a run through its steps, and the consequence of a step that has ended.

mod restoring;
#[cfg(test)]
mod tests;

use serde_json::{Value, value::RawValue};
use sluice_model::workflow::{DeployedStep, Pause, PauseKind, RunError, WorkflowDefinition};
use sluice_runtime::{Failure, Flow, LogLine, Outcome, Reply, Send, StepOutcome};
use sluice_store::{
    run_steps::{StepRecord, StepState},
    runs::{Run, RunState},
    sends::SendRow,
};

pub(crate) use self::restoring::Continuation;

/// Errors that a retry would only repeat.
const FINAL_ERRORS: [&str; 2] = ["Timeout", "ConfigurationError"];

pub(crate) struct Progress {
    pub(crate) run: Run,
    /// Exports of completed steps, by name and in order.
    pub(crate) exports: Vec<(String, String)>,
    /// Their sends, which are held.
    pub(crate) held: Vec<SendRow>,
    /// Attempts of the next step so far.
    pub(crate) attempts: u32,
    /// Its failures in a row.
    failures: u32,
    /// The context that the step set when it asked for a rerun.
    pub(crate) rerun_context: Option<Value>,
    /// The request that caused the rerun.
    pub(crate) callback: Option<Box<RawValue>>,
    /// The reply to the client, when a step has sent one.
    pub(crate) reply: Option<Reply>,
}

/// An ended step.
pub(crate) struct StepEnd {
    pub(crate) record: StepRecord,
    pub(crate) sends: Vec<Send>,
    pub(crate) after: After,
}

/// The consequence of a step.
pub(crate) enum After {
    NextStep,
    Waiting { pause: Pause, ms: i64 },
    Finished { exit_reason: Option<String> },
    Failed(Failure),
}

impl Progress {
    /// A run without a completed step.
    pub(crate) fn new(run: Run) -> Progress {
        Progress {
            run,
            exports: Vec::new(),
            held: Vec::new(),
            attempts: 0,
            failures: 0,
            rerun_context: None,
            callback: None,
            reply: None,
        }
    }

    /// The index of the next step.
    pub(crate) fn position(&self) -> usize {
        self.exports.len()
    }

    /// Records the outcome of the next step.
    pub(crate) fn step_ended(
        &mut self,
        definition: &WorkflowDefinition,
        started_at: i64,
        outcome: Outcome,
    ) -> StepEnd {
        let position = self.position();
        let step = &definition.steps[position];
        let Outcome {
            logs,
            failure,
            duration,
            step: did,
            ..
        } = outcome;
        let StepOutcome {
            inputs,
            exports,
            flow,
            sends,
            reply,
        } = did.map_or_else(nothing_done, |did| *did);
        if self.reply.is_none() {
            self.reply = reply;
        }
        self.attempts += 1;
        let attempt = self.attempts;
        let exports = exports.get().to_owned();
        let record = |state, error| StepRecord {
            position: u32::try_from(position).unwrap_or(u32::MAX),
            attempt,
            name: step.name.clone(),
            state,
            started_at,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            error,
            logs: logs_json(&logs),
            exports: exports.clone(),
            inputs: inputs.map(|inputs| String::from(Box::<str>::from(inputs))),
            pause: None,
        };
        let Some(failure) = failure else {
            return self.went_well(definition, flow, sends, record);
        };
        self.failures += 1;
        let error = run_error(Some(&step.name), &failure);
        let record = record(StepState::Failed, Some(error));
        match retry_pause(step, &failure, self.failures) {
            // The retry repeats its sends.
            Some(ms) => StepEnd {
                after: waits(PauseKind::Retry, record.position, None, ms),
                record,
                sends: Vec::new(),
            },
            None => StepEnd {
                record,
                sends,
                after: After::Failed(failure),
            },
        }
    }

    fn went_well(
        &mut self,
        definition: &WorkflowDefinition,
        flow: Option<Flow>,
        sends: Vec<Send>,
        record: impl FnOnce(StepState, Option<RunError>) -> StepRecord,
    ) -> StepEnd {
        self.failures = 0;
        if let Some(Flow::Rerun {
            ms,
            context,
            max_retries,
        }) = &flow
            && self.attempts <= *max_retries
        {
            let record = record(StepState::Repeated, None);
            let context = serde_json::from_str(context.get()).ok();
            return StepEnd {
                after: waits(PauseKind::Rerun, record.position, context, as_i64(*ms)),
                record,
                sends,
            };
        }
        let record = record(StepState::Completed, None);
        self.exports
            .push((record.name.clone(), record.exports.clone()));
        (self.attempts, self.rerun_context, self.callback) = (0, None, None);
        let is_last = self.position() == definition.steps.len();
        let after = match flow {
            Some(Flow::Exit { reason }) => After::Finished {
                exit_reason: Some(reason.unwrap_or_default()),
            },
            Some(Flow::Delay { ms }) => waits(PauseKind::Delay, record.position, None, as_i64(ms)),
            Some(Flow::Suspend { ms }) => {
                waits(PauseKind::Suspend, record.position, None, as_i64(ms))
            }
            Some(Flow::Rerun { .. }) | None if is_last => After::Finished { exit_reason: None },
            Some(Flow::Rerun { .. }) | None => After::NextStep,
        };
        StepEnd {
            record,
            sends,
            after,
        }
    }
}

fn waits(kind: PauseKind, position: u32, context: Option<Value>, ms: i64) -> After {
    After::Waiting {
        pause: Pause {
            kind,
            position,
            context,
        },
        ms,
    }
}

/// Sets the row of a run that ended.
pub(crate) fn finish(run: &mut Run, state: RunState, now_ms: i64) {
    run.state = state;
    run.finished_at = Some(now_ms);
    run.due_at = None;
    run.pause = None;
    run.pause_key = None;
}

pub(crate) fn run_error(step: Option<&str>, failure: &Failure) -> RunError {
    RunError {
        step: step.map(str::to_owned),
        code: failure.code.as_ref().unwrap_or(&failure.name).clone(),
        message: failure.message.clone(),
        stack: failure.stack.clone(),
        prop: failure.prop.clone(),
    }
}

fn retry_pause(step: &DeployedStep, failure: &Failure, failures: u32) -> Option<i64> {
    if FINAL_ERRORS.contains(&failure.name.as_str()) {
        return None;
    }
    step.retry.backoff_ms(failures)
}

fn nothing_done() -> StepOutcome {
    StepOutcome {
        inputs: None,
        exports: RawValue::from_string("{}".to_owned()).expect("an empty object is JSON"),
        flow: None,
        sends: Vec::new(),
        reply: None,
    }
}

fn logs_json(logs: &[LogLine]) -> String {
    let lines: Vec<Value> = logs
        .iter()
        .map(|line| {
            serde_json::json!({
                "ts": line.ts,
                "k": line.kind,
                "level": line.level.as_str(),
                "message": line.message,
            })
        })
        .collect();
    Value::Array(lines).to_string()
}

fn as_i64(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
