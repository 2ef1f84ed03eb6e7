//! One run on its way through the steps: what it has done, and what comes of the step that has just ended.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use sluice_model::workflow::{DeployedStep, Pause, PauseKind, RunError, WorkflowDefinition};
use sluice_runtime::{Failure, Flow, LogLine, Outcome, Reply, Send, StepOutcome};
use sluice_store::{
    run_steps::{StepRecord, StepState},
    runs::{Run, RunState},
    sends::SendRow,
};

/// Errors that would only come again: a step that has one is not run again.
const FINAL_ERRORS: [&str; 2] = ["Timeout", "ConfigurationError"];
/// Why a run ended that somebody was to resume in time.
pub(crate) const NOT_RESUMED: &str = "nobody resumed the run in time";

pub(super) struct Progress {
    pub(super) run: Run,
    /// What the steps that are over have exported, by name and in their order.
    pub(super) exports: Vec<(String, String)>,
    /// What they have sent and is held.
    pub(super) held: Vec<SendRow>,
    /// How often the step that comes next has run already.
    pub(super) attempts: u32,
    /// How often it has failed since it last did not.
    failures: u32,
    /// What the step was given when it asked to be run again.
    pub(super) rerun_context: Option<Value>,
    /// The request that made the step run again.
    pub(super) callback: Option<Box<RawValue>>,
    /// The answer for the client, when a step has given one.
    pub(super) reply: Option<Reply>,
}

/// What the inbox says of a run that goes on.
#[derive(Deserialize)]
pub(crate) struct Continuation {
    #[serde(default)]
    pub(crate) request: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct RequestBody {
    body: Option<Box<RawValue>>,
}

/// A step that has ended.
pub(super) struct StepEnd {
    pub(super) record: StepRecord,
    pub(super) sends: Vec<Send>,
    pub(super) after: After,
}

/// What comes after a step.
pub(super) enum After {
    NextStep,
    Waiting { pause: Pause, ms: i64 },
    Finished { exit_reason: Option<String> },
    Failed(Failure),
}

impl Progress {
    /// A run of which nothing is done yet.
    pub(super) fn new(run: Run) -> Progress {
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

    /// A run as it is stored. When somebody resumed it, the step that waited exports what it was given; that record is
    /// given back, to be stored.
    pub(super) fn restored(
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

    /// Which step comes next, counted from 0.
    pub(super) fn position(&self) -> usize {
        self.exports.len()
    }

    /// Takes in what the step that was next did.
    pub(super) fn step_ended(
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
            pause: None,
        };
        let Some(failure) = failure else {
            return self.went_well(definition, flow, sends, record);
        };
        self.failures += 1;
        let error = run_error(Some(&step.name), &failure);
        let record = record(StepState::Failed, Some(error));
        match retry_pause(step, &failure, self.failures) {
            // What it sent it will send again.
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

/// What a run is called that ended, in its row.
pub(super) fn finish(run: &mut Run, state: RunState, now_ms: i64) {
    run.state = state;
    run.finished_at = Some(now_ms);
    run.due_at = None;
    run.pause = None;
    run.pause_key = None;
}

pub(super) fn run_error(step: Option<&str>, failure: &Failure) -> RunError {
    RunError {
        step: step.map(str::to_owned),
        code: failure.code.as_ref().unwrap_or(&failure.name).clone(),
        message: failure.message.clone(),
        stack: failure.stack.clone(),
    }
}

fn retry_pause(step: &DeployedStep, failure: &Failure, failures: u32) -> Option<i64> {
    if FINAL_ERRORS.contains(&failure.name.as_str()) {
        return None;
    }
    step.retry.pause_ms(failures)
}

fn nothing_done() -> StepOutcome {
    StepOutcome {
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

fn as_i64(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sluice_model::{
        ComponentId, DeploymentId, IdGen, InvocationId, WorkflowId,
        workflow::{RetryPolicy, RunOrigin, WorkflowSettings},
    };

    use super::*;

    fn run() -> Run {
        Run {
            id: InvocationId::generate(&mut IdGen::new(1), 1),
            workflow_id: WorkflowId::parse("p_w").unwrap(),
            deployment_id: DeploymentId::parse("d_1").unwrap(),
            state: RunState::Running,
            origin: RunOrigin {
                source_type: "http".to_owned(),
                emitter_id: None,
                replay_of: None,
            },
            depth: 0,
            accepted_at: 1,
            started_at: 1,
            finished_at: None,
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            event: "{}".to_owned(),
        }
    }

    fn definition(steps: &[&str], retry: RetryPolicy) -> WorkflowDefinition {
        let step = |name: &&str| DeployedStep {
            name: (*name).to_owned(),
            cell_id: format!("c_{name}"),
            component_id: ComponentId::parse("sc_x").unwrap(),
            props: serde_json::Map::new(),
            timeout_seconds: None,
            retry,
        };
        WorkflowDefinition {
            name: "w".to_owned(),
            description: None,
            env: std::collections::BTreeMap::default(),
            triggers: Vec::new(),
            steps: steps.iter().map(step).collect(),
            settings: WorkflowSettings::default(),
        }
    }

    fn did(exports: &Value, flow: Option<Flow>) -> Outcome {
        Outcome {
            step: Some(Box::new(StepOutcome {
                exports: RawValue::from_string(exports.to_string()).unwrap(),
                flow,
                sends: Vec::new(),
                reply: None,
            })),
            ..Outcome::default()
        }
    }

    fn threw(name: &str) -> Outcome {
        Outcome {
            failure: Some(Failure {
                name: name.to_owned(),
                message: "no".to_owned(),
                stack: String::new(),
                code: None,
            }),
            ..did(&json!({}), None)
        }
    }

    fn rerun(max_retries: u32) -> Flow {
        Flow::Rerun {
            ms: 5,
            context: RawValue::from_string("{\"n\":1}".to_owned()).unwrap(),
            max_retries,
        }
    }

    /// The state of a run as the next owner would find it.
    fn restored(run: &Run, records: &[StepRecord], continuation: Option<&str>) -> Progress {
        let continuation = continuation.map(|text| serde_json::from_str(text).unwrap());
        Progress::restored(run.clone(), records.to_vec(), Vec::new(), continuation).0
    }

    #[test]
    fn steps_follow_one_another_until_the_last() {
        let definition = definition(&["a", "b"], RetryPolicy::default());
        let mut progress = Progress::new(run());
        let end = progress.step_ended(&definition, 1, did(&json!({"x": 1}), None));
        assert!(matches!(end.after, After::NextStep));
        assert_eq!(
            progress.exports[0],
            ("a".to_owned(), r#"{"x":1}"#.to_owned())
        );
        let end = progress.step_ended(&definition, 2, did(&json!({}), None));
        assert!(matches!(end.after, After::Finished { exit_reason: None }));
        assert_eq!((end.record.position, end.record.attempt), (1, 1));
    }

    #[test]
    fn exit_ends_the_run_and_keeps_its_reason() {
        let definition = definition(&["a", "b"], RetryPolicy::default());
        let exit = Flow::Exit {
            reason: Some("enough".to_owned()),
        };
        let end = Progress::new(run()).step_ended(&definition, 1, did(&json!({}), Some(exit)));
        let After::Finished { exit_reason } = end.after else {
            panic!("it is over");
        };
        assert_eq!(exit_reason.as_deref(), Some("enough"));
    }

    #[test]
    fn a_step_that_failed_is_retried_as_often_as_it_may_be() {
        let retry = RetryPolicy {
            max_retries: 1,
            ..RetryPolicy::default()
        };
        let definition = definition(&["a"], retry);
        let mut progress = Progress::new(run());
        let first = progress.step_ended(&definition, 1, threw("Error"));
        let After::Waiting { pause, ms } = first.after else {
            panic!("it waits");
        };
        assert_eq!((pause.kind, ms), (PauseKind::Retry, 10_000));
        let mut stored = run();
        stored.pause = Some(pause);
        let mut progress = restored(&stored, &[first.record], None);
        let second = progress.step_ended(&definition, 2, threw("Error"));
        assert!(matches!(second.after, After::Failed(_)));
        assert_eq!(second.record.attempt, 2);
    }

    #[test]
    fn what_would_only_fail_again_is_not_retried() {
        let retry = RetryPolicy {
            max_retries: 5,
            ..RetryPolicy::default()
        };
        let definition = definition(&["a"], retry);
        for name in ["Timeout", "ConfigurationError"] {
            let end = Progress::new(run()).step_ended(&definition, 1, threw(name));
            assert!(matches!(end.after, After::Failed(_)), "{name}");
        }
    }

    #[test]
    fn a_rerun_has_its_context_and_ends_after_its_last() {
        let definition = definition(&["a"], RetryPolicy::default());
        let mut progress = Progress::new(run());
        let first = progress.step_ended(&definition, 1, did(&json!({}), Some(rerun(1))));
        assert_eq!(first.record.state, StepState::Repeated);
        let After::Waiting { pause, .. } = first.after else {
            panic!("it waits");
        };
        let mut stored = run();
        stored.pause = Some(pause);
        let resumed = Some(r#"{"cause":"resume","request":{"body":7}}"#);
        let mut progress = restored(&stored, std::slice::from_ref(&first.record), resumed);
        assert_eq!(progress.attempts, 1);
        assert_eq!(progress.rerun_context, Some(json!({"n": 1})));
        assert_eq!(progress.callback.as_ref().unwrap().get(), r#"{"body":7}"#);
        let second = progress.step_ended(&definition, 2, did(&json!({}), Some(rerun(1))));
        assert!(matches!(second.after, After::Finished { .. }));
        // The step after it does not get what was meant for this one, also when a crash lies between them.
        let after = restored(&stored, &[first.record, second.record], resumed);
        assert_eq!((after.position(), after.rerun_context), (1, None));
        assert!(after.callback.is_none());
    }

    #[test]
    fn what_a_run_was_resumed_with_is_exported_by_the_step_that_waited() {
        let definition = definition(&["a", "b"], RetryPolicy::default());
        let mut progress = Progress::new(run());
        let end = progress.step_ended(
            &definition,
            1,
            did(&json!({"x": 1}), Some(Flow::Suspend { ms: 5 })),
        );
        let After::Waiting { pause, .. } = end.after else {
            panic!("it waits");
        };
        let mut stored = run();
        stored.pause = Some(pause);
        let progress = restored(
            &stored,
            &[end.record],
            Some(r#"{"cause":"resume","request":{"body":{"ok":true}}}"#),
        );
        assert_eq!(progress.position(), 1);
        assert_eq!(
            progress.exports[0].1,
            r#"{"x":1,"$resume_data":{"ok":true}}"#
        );
    }
}
