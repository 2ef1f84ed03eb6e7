//! Outcomes of a workflow's steps as rows: step records, sends, events, and the end of runs.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{
    json,
    value::{RawValue, to_raw_value},
};
use sluice_model::{
    TraceContext,
    workflow::{DeployedStep, WorkflowDefinition},
};
use sluice_runtime::{Failure, HeldReport, Send};
use sluice_store::{
    provenance::{Cause, Provenance},
    routes::{ERROR_CHANNEL, SSE_CHANNEL},
    run_steps::StepRecord,
    runs::{Run, RunState},
    sends::{SendKind, SendRow, SendState, SendStep},
    server_clock::AT_ONCE,
    workflows::Workflow,
};

use super::{
    batch::{Audience, Batch, EventRow, LoopError, RunChange, RunChangeKind, RunEnd, StateRow},
    builder::{RowBuilder, event_loop},
    error_event::{ErrorEvent, ErrorOrigin},
    progress::{After, Progress, StepEnd, finish, run_error},
    streak::{Outcomes, Streak},
};
use crate::work::Work;

const MINUTE_MS: i64 = 60_000;

/// Rows of a workflow that wait for the next commit.
#[derive(Default)]
pub(crate) struct Pending {
    runs: Vec<RunChange>,
    events: Vec<EventRow>,
    done: Vec<sluice_model::InvocationId>,
    ticks: Vec<super::batch::TickRow>,
    errors: u64,
    /// The outcomes of runs that ended.
    outcomes: Outcomes,
    /// The spans of steps that ended.
    traces: Vec<TraceContext>,
    /// The reports that the rows come from.
    held: Vec<HeldReport>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether it holds only starts of runs, which can be stored with the end of their first step.
    pub(crate) fn is_only_starts(&self) -> bool {
        let is_start = |change: &RunChange| matches!(change.kind, RunChangeKind::Started { .. });
        self.runs.iter().all(is_start)
    }

    /// A run started or continues.
    pub(crate) fn started(&mut self, run: Run, resumed: Option<StepRecord>) {
        self.runs.push(RunChange {
            run,
            kind: RunChangeKind::Started { resumed },
        });
    }

    /// Keeps a report until the next commit.
    pub(crate) fn hold(&mut self, report: HeldReport) {
        self.held.push(report);
    }

    /// A run that was to continue no longer exists.
    pub(crate) fn forgotten(&mut self, run: Run) {
        self.done.push(run.id);
        self.runs.push(RunChange {
            run,
            kind: RunChangeKind::Forgotten,
        });
    }

    /// A run ended that waited after its last step.
    pub(crate) fn finished(&mut self, mut run: Run, now_ms: i64) {
        finish(&mut run, RunState::Succeeded, now_ms);
        self.outcomes.success();
        self.done.push(run.id);
        self.runs.push(RunChange {
            run,
            kind: RunChangeKind::Ended(RunEnd::default()),
        });
    }

    /// Moves the rows into a batch.
    pub(crate) fn fill(
        self,
        batch: &mut Batch,
        last_event: Option<sluice_model::EventId>,
        streak: &mut Streak,
    ) {
        if !self.events.is_empty() {
            batch.state = Some(StateRow {
                last_event,
                dedupe: None,
            });
        }
        batch.runs = self.runs;
        batch.events = self.events;
        batch.done = self.done;
        batch.ticks = self.ticks;
        batch.errors = self.errors;
        batch.streak = streak.add(self.outcomes, batch.now_ms);
        batch.held = self.held;
        batch.traces = self.traces;
    }
}

/// How a run continues after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunFate {
    Continues,
    Waits,
    Finished,
    Failed,
}

/// Turns ends of steps into [`Pending`] rows.
pub(crate) struct WorkflowCommit<'a> {
    pub(crate) workflow: &'a Workflow,
    pub(crate) rows: RowBuilder<'a>,
    pub(crate) pending: &'a mut Pending,
}

#[derive(Deserialize)]
struct EmitPayload {
    raw_event: Box<RawValue>,
    #[serde(default)]
    channel: String,
}

impl WorkflowCommit<'_> {
    /// A step ended. `key` resumes the run if it waits now. `trace` is the span of the step.
    pub(crate) fn step_ended(
        &mut self,
        progress: &mut Progress,
        work: &Work,
        definition: &WorkflowDefinition,
        end: StepEnd,
        key: &str,
        trace: Option<&TraceContext>,
    ) -> RunFate {
        let StepEnd {
            mut record,
            sends,
            after,
        } = end;
        self.pending.traces.extend(trace.cloned());
        let step = definition.step(&record.name);
        let sends: Vec<SendRow> = sends
            .into_iter()
            .map(|send| self.send_row(&progress.run, &record.name, send, trace))
            .collect();
        let now_ms = self.rows.now_ms;
        let run = &mut progress.run;
        let mut error = None;
        let fate = match after {
            After::NextStep => {
                progress.held.extend(sends.iter().cloned());
                self.push_step(progress.run.clone(), record, sends, None);
                return RunFate::Continues;
            }
            After::Waiting { pause, ms } => {
                run.state = RunState::Waiting;
                run.due_at = Some(now_ms.saturating_add(ms));
                record.pause = Some(pause.kind);
                run.pause = Some(pause);
                run.pause_key = Some(key.to_owned());
                RunFate::Waits
            }
            After::Finished { exit_reason } => {
                finish(run, RunState::Succeeded, now_ms);
                self.pending.outcomes.success();
                run.exit_reason = exit_reason;
                RunFate::Finished
            }
            After::Failed(failure) => {
                finish(run, RunState::Failed, now_ms);
                run.error = Some(run_error(Some(&record.name), &failure));
                error = Some(failure);
                RunFate::Failed
            }
        };
        let run = progress.run.clone();
        let held = std::mem::take(&mut progress.held);
        let (sends, end) = self.end(&run, work, held, sends);
        if let Some(failure) = error {
            self.add_error(&run, step, &failure);
        }
        self.push_step(run, record, sends, Some(end));
        fate
    }

    /// A run failed before its next step could run. Returns its row.
    pub(crate) fn failed(
        &mut self,
        mut run: Run,
        work: &Work,
        held: Vec<SendRow>,
        step: Option<&DeployedStep>,
        failure: &Failure,
    ) -> Run {
        finish(&mut run, RunState::Failed, self.rows.now_ms);
        run.error = Some(run_error(step.map(|step| step.name.as_str()), failure));
        let (_, end) = self.end(&run, work, held, Vec::new());
        self.add_error(&run, step, failure);
        self.pending.runs.push(RunChange {
            run: run.clone(),
            kind: RunChangeKind::Ended(end),
        });
        run
    }

    fn push_step(
        &mut self,
        run: Run,
        record: StepRecord,
        sends: Vec<SendRow>,
        end: Option<RunEnd>,
    ) {
        self.pending.runs.push(RunChange {
            run,
            kind: RunChangeKind::Step { record, sends, end },
        });
    }

    /// The run ended or waits: its sends, new and held, are released, and its inbox row is acknowledged.
    fn end(
        &mut self,
        run: &Run,
        work: &Work,
        held: Vec<SendRow>,
        sends: Vec<SendRow>,
    ) -> (Vec<SendRow>, RunEnd) {
        let mut release = |send: SendRow| {
            let send = self.released(send);
            if let Some(event) = self.event_of(run, &send) {
                self.pending.events.push(event);
            }
            send
        };
        let released = held.into_iter().map(&mut release).collect();
        let sends = sends.into_iter().map(&mut release).collect();
        self.pending.done.push(run.id);
        self.pending.ticks.extend(self.rows.next_tick(work));
        (sends, RunEnd { released })
    }

    fn send_row(
        &mut self,
        run: &Run,
        step: &str,
        send: Send,
        trace: Option<&TraceContext>,
    ) -> SendRow {
        let Send { kind, payload } = send;
        let now_ms = self.rows.now_ms;
        SendRow {
            id: self.rows.emit_id(),
            step: Some(SendStep {
                workflow_id: self.workflow.id.clone(),
                run_id: run.id,
                name: step.to_owned(),
            }),
            user_id: self.workflow.user_id.clone(),
            kind: stored_kind(kind),
            state: SendState::Held,
            due_at: None,
            tries: 0,
            result: None,
            created_at: now_ms,
            updated_at: now_ms,
            payload: payload.get().to_owned(),
            trace: trace.cloned(),
        }
    }

    fn released(&self, mut send: SendRow) -> SendRow {
        let now_ms = self.rows.now_ms;
        send.updated_at = now_ms;
        (send.state, send.due_at) = match send.kind {
            SendKind::Emit | SendKind::Sse => (SendState::Sent, None),
            // Due whatever the clock says.
            SendKind::Http
            | SendKind::Email
            | SendKind::NotificationEmail
            | SendKind::NotificationWebhook => (SendState::Pending, Some(AT_ONCE)),
            // Sends of one minute go into one object.
            SendKind::S3 => {
                let next_minute = (now_ms.div_euclid(MINUTE_MS) + 1) * MINUTE_MS;
                (SendState::Pending, Some(next_minute))
            }
        };
        send
    }

    /// Emits and stream messages are events of the workflow.
    fn event_of(&mut self, run: &Run, send: &SendRow) -> Option<EventRow> {
        match send.kind {
            SendKind::Emit => {
                let EmitPayload { raw_event, channel } =
                    serde_json::from_str(&send.payload).ok()?;
                let data = to_raw_value(&json!({ "raw_event": raw_event })).ok()?;
                let channel = channel.replace('\0', "");
                let mut event = self.rows.event(send.id, channel, data, run.depth);
                event.listener_data = Some(raw_event);
                event.trace.clone_from(&send.trace);
                event.provenance = Some(provenance(run));
                if run.depth >= self.rows.max_depth {
                    let failure = event_loop("sources and workflows", run.depth);
                    event.loop_error = Some(Box::new(LoopError {
                        event: self.error_event(run, None, &failure),
                        log: None,
                    }));
                }
                Some(event)
            }
            SendKind::Sse => {
                let data = RawValue::from_string(send.payload.clone()).ok()?;
                let mut event = self
                    .rows
                    .event(send.id, SSE_CHANNEL.to_owned(), data, run.depth);
                event.provenance = Some(provenance(run));
                event.audience = Audience::Stream;
                Some(event)
            }
            SendKind::Http
            | SendKind::Email
            | SendKind::S3
            | SendKind::NotificationEmail
            | SendKind::NotificationWebhook => None,
        }
    }

    fn add_error(&mut self, run: &Run, step: Option<&DeployedStep>, failure: &Failure) {
        let event = self.error_event(run, step, failure);
        self.pending.events.push(event);
        self.pending.errors += 1;
        self.pending.outcomes.failure(failure);
    }

    fn error_event(
        &mut self,
        run: &Run,
        step: Option<&DeployedStep>,
        failure: &Failure,
    ) -> EventRow {
        let emit_id = self.rows.emit_id();
        let data = ErrorEvent {
            emit_id: &emit_id,
            at_ms: self.rows.now_ms,
            origin: ErrorOrigin::Workflow {
                id: &self.workflow.id,
                deployment: &run.deployment_id,
                cell: step.map_or("", |step| &step.cell_id),
            },
            user: &self.workflow.user_id,
            invocation: &run.id,
            started_ms: run.started_at,
            trigger: &run.origin.source_type,
            event: &run.event,
            failure,
        }
        .to_json();
        let mut event = self
            .rows
            .event(emit_id, ERROR_CHANNEL.to_owned(), data, run.depth);
        event.trace.clone_from(&run.trace);
        event.provenance = Some(provenance(run));
        event.meta = json!({ "summary": failure.message }).to_string();
        event
    }
}

/// The run as the cause of an event. Its row has the rest.
fn provenance(run: &Run) -> Arc<Provenance> {
    Arc::new(Provenance {
        invocation: run.id,
        cause: Cause::new(&*run.origin.source_type),
        duration_ms: None,
        trace: run.trace.clone(),
    })
}

fn stored_kind(kind: sluice_runtime::SendKind) -> SendKind {
    match kind {
        sluice_runtime::SendKind::Http => SendKind::Http,
        sluice_runtime::SendKind::Email => SendKind::Email,
        sluice_runtime::SendKind::S3 => SendKind::S3,
        sluice_runtime::SendKind::Emit => SendKind::Emit,
        sluice_runtime::SendKind::Sse => SendKind::Sse,
    }
}
