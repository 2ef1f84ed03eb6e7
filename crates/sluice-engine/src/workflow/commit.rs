//! From what steps did to the rows they leave behind.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{
    json,
    value::{RawValue, to_raw_value},
};
use sluice_model::{
    EmitId, EventId, IdGen, TimerSpec,
    workflow::{DeployedStep, WorkflowDefinition},
};
use sluice_runtime::{Failure, Send};
use sluice_store::{
    inbox::InboxKind,
    routes::{ERROR_CHANNEL, SSE_CHANNEL},
    runs::{Run, RunState},
    sends::{SendKind, SendRow, SendState},
    server_clock::AT_ONCE,
    workflows::Workflow,
};

use super::{
    batch::{Change, ChangeKind, EventRow, Over},
    progress::{After, Progress, StepEnd, finish, run_error},
};
use crate::{
    error_event::{Culprit, ErrorEvent},
    mailbox::Work,
};

const MINUTE_MS: i64 = 60_000;

/// Turns ends of steps into [`Change`]s, numbering events as it goes.
pub(super) struct Builder<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) timers: &'a BTreeMap<String, TimerSpec>,
    pub(super) last_event: &'a mut Option<EventId>,
    pub(super) ids: &'a mut IdGen,
    pub(super) now_ms: i64,
    pub(super) max_depth: u32,
}

/// Whether the run goes on with its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    GoesOn,
    Waits,
    Finished,
    Failed,
}

#[derive(Deserialize)]
struct Emitted {
    raw_event: Box<RawValue>,
    #[serde(default)]
    channel: String,
}

impl Builder<'_> {
    /// What a step that ended leaves behind. `key` is what a run that waits is resumed with.
    pub(super) fn stepped(
        &mut self,
        progress: &mut Progress,
        work: &Work,
        definition: &WorkflowDefinition,
        end: StepEnd,
        key: &str,
    ) -> (Change, Fate) {
        let StepEnd {
            mut record,
            sends,
            after,
        } = end;
        let step = definition.step(&record.name);
        let sends: Vec<SendRow> = sends
            .into_iter()
            .map(|send| self.send_row(&progress.run, &record.name, send))
            .collect();
        let fate = match after {
            After::NextStep => {
                progress.held.extend(sends.iter().cloned());
                return (
                    Change {
                        run: progress.run.clone(),
                        kind: ChangeKind::Stepped {
                            record,
                            sends,
                            over: None,
                        },
                    },
                    Fate::GoesOn,
                );
            }
            After::Waiting { pause, ms } => {
                progress.run.state = RunState::Waiting;
                progress.run.due_at = Some(self.now_ms.saturating_add(ms));
                record.pause = Some(pause.kind);
                progress.run.pause = Some(pause);
                progress.run.pause_key = Some(key.to_owned());
                Fate::Waits
            }
            After::Finished { exit_reason } => {
                finish(&mut progress.run, RunState::Succeeded, self.now_ms);
                progress.run.exit_reason = exit_reason;
                Fate::Finished
            }
            After::Failed(failure) => {
                finish(&mut progress.run, RunState::Failed, self.now_ms);
                progress.run.error = Some(run_error(Some(&record.name), &failure));
                let held = std::mem::take(&mut progress.held);
                let (sends, mut over) = self.over(&progress.run, work, held, sends);
                let error = self.error_event(&progress.run, step, &failure);
                over.events.push(error);
                return (
                    stepped(progress.run.clone(), record, sends, over),
                    Fate::Failed,
                );
            }
        };
        let held = std::mem::take(&mut progress.held);
        let (sends, over) = self.over(&progress.run, work, held, sends);
        (stepped(progress.run.clone(), record, sends, over), fate)
    }

    /// A run that failed for want of a step that could be run.
    pub(super) fn refused(
        &mut self,
        mut run: Run,
        work: &Work,
        held: Vec<SendRow>,
        step: Option<&DeployedStep>,
        failure: &Failure,
    ) -> Change {
        finish(&mut run, RunState::Failed, self.now_ms);
        run.error = Some(run_error(step.map(|step| step.name.as_str()), failure));
        let (_, mut over) = self.over(&run, work, held, Vec::new());
        over.events.push(self.error_event(&run, step, failure));
        Change {
            run,
            kind: ChangeKind::Ended(over),
        }
    }

    /// A run that waited after its last step.
    pub(super) fn finished(mut run: Run, now_ms: i64) -> Change {
        finish(&mut run, RunState::Succeeded, now_ms);
        Change {
            run,
            kind: ChangeKind::Ended(Over::default()),
        }
    }

    /// Lets go what a run has sent, now that it is over or waits: what it sends now, and what was held.
    fn over(
        &mut self,
        run: &Run,
        work: &Work,
        held: Vec<SendRow>,
        sends: Vec<SendRow>,
    ) -> (Vec<SendRow>, Over) {
        let mut events = Vec::new();
        let mut release = |send: SendRow| {
            let send = self.released(send);
            events.extend(self.event_of(run, &send));
            send
        };
        let released: Vec<SendRow> = held.into_iter().map(&mut release).collect();
        let sends = sends.into_iter().map(&mut release).collect();
        let over = Over {
            released,
            events,
            next_tick: self.next_tick(work),
        };
        (sends, over)
    }

    fn send_row(&mut self, run: &Run, step: &str, send: Send) -> SendRow {
        let Send { kind, payload } = send;
        SendRow {
            id: EmitId::generate(self.ids, self.now_ms),
            workflow_id: self.workflow.id.clone(),
            user_id: self.workflow.user_id.clone(),
            run_id: run.id,
            step: step.to_owned(),
            kind: stored_kind(kind),
            state: SendState::Held,
            due_at: None,
            tries: 0,
            result: None,
            created_at: self.now_ms,
            updated_at: self.now_ms,
            payload: payload.get().to_owned(),
        }
    }

    fn released(&self, mut send: SendRow) -> SendRow {
        send.updated_at = self.now_ms;
        (send.state, send.due_at) = match send.kind {
            SendKind::Emit | SendKind::Sse => (SendState::Sent, None),
            SendKind::Http | SendKind::Email => (SendState::Pending, Some(AT_ONCE)),
            // What is sent within a minute goes together.
            SendKind::S3 => {
                let next_minute = (self.now_ms.div_euclid(MINUTE_MS) + 1) * MINUTE_MS;
                (SendState::Pending, Some(next_minute))
            }
        };
        send
    }

    /// What is sent to listeners and to readers of the workflow's stream is an event of the workflow.
    fn event_of(&mut self, run: &Run, send: &SendRow) -> Option<EventRow> {
        match send.kind {
            SendKind::Emit => {
                let Emitted { raw_event, channel } = serde_json::from_str(&send.payload).ok()?;
                let data = to_raw_value(&json!({ "raw_event": raw_event })).ok()?;
                let mut event = self.event_row(send.id, channel.replace('\0', ""), data);
                event.bare = Some(raw_event);
                if run.depth >= self.max_depth {
                    let failure = event_loop(run.depth);
                    event.too_deep = Some(Box::new(self.error_event(run, None, &failure)));
                }
                Some(event)
            }
            SendKind::Sse => {
                let data = RawValue::from_string(send.payload.clone()).ok()?;
                let mut event = self.event_row(send.id, SSE_CHANNEL.to_owned(), data);
                event.only_streamed = true;
                Some(event)
            }
            SendKind::Http | SendKind::Email | SendKind::S3 => None,
        }
    }

    fn error_event(
        &mut self,
        run: &Run,
        step: Option<&DeployedStep>,
        failure: &Failure,
    ) -> EventRow {
        let emit_id = EmitId::generate(self.ids, self.now_ms);
        let data = ErrorEvent {
            emit_id: &emit_id,
            at_ms: self.now_ms,
            culprit: Culprit::Workflow {
                id: &self.workflow.id,
                deployment: &run.deployment_id,
                cell: step.map_or("", |step| &step.cell_id),
            },
            owner: &self.workflow.user_id,
            invocation: &run.id,
            begun_ms: run.started_at,
            trigger: &run.origin.source_type,
            event: &run.event,
            failure,
        }
        .to_json();
        let mut event = self.event_row(emit_id, ERROR_CHANNEL.to_owned(), data);
        event.meta = json!({ "summary": failure.message }).to_string();
        event
    }

    fn event_row(&mut self, emit_id: EmitId, channel: String, data: Box<RawValue>) -> EventRow {
        let id = EventId::next(*self.last_event, self.now_ms);
        *self.last_event = Some(id);
        EventRow {
            id,
            channel,
            emit_id,
            meta: "{}".to_owned(),
            data,
            bare: None,
            only_streamed: false,
            too_deep: None,
        }
    }

    /// A timer is armed again when its run is over or waits, so that it never overlaps itself.
    fn next_tick(&self, work: &Work) -> Option<(String, i64)> {
        let InboxKind::Timer = work.kind else {
            return None;
        };
        let prop = work.prop.as_deref()?;
        let due = self
            .timers
            .get(prop)?
            .next_tick(work.accepted_at, self.now_ms)?;
        Some((prop.to_owned(), due))
    }
}

fn stepped(
    run: Run,
    record: sluice_store::run_steps::StepRecord,
    sends: Vec<SendRow>,
    over: Over,
) -> Change {
    Change {
        run,
        kind: ChangeKind::Stepped {
            record,
            sends,
            over: Some(over),
        },
    }
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

fn event_loop(depth: u32) -> Failure {
    Failure {
        name: "EventLoop".to_owned(),
        message: format!(
            "an event was not passed on to the sources and workflows that listen to it: {depth} events in a row have led to one another"
        ),
        stack: String::new(),
        code: None,
    }
}
