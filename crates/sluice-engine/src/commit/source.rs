//! Outcomes of a source's invocations as rows: emits are ordered, deduplicated and numbered, failures become error events,
//! and a tick arms its timer again.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_infra::{compute_ms, millis};
use sluice_model::{
    DedupeKey, DedupeState, InvocationId, SourceId, TraceContext, UserId, Verdict, order_by_ts,
};
use sluice_runtime::{Emit, EmitId, Failure, LogLevel, LogLine, Outcome};
use sluice_store::{
    provenance::{self, Provenance},
    routes::ERROR_CHANNEL,
    state::Fence,
};

use super::{
    batch::{Batch, EventRow, LogRow, LoopError, ReleasedEvent, StateRow},
    builder::{RowBuilder, event_loop, failure},
    error_event::{ErrorEvent, ErrorOrigin},
    request_sample::RequestSample,
    streak::{Outcomes, Streak},
};
use crate::{state::Definition, work::Work};

/// An invocation that ended, by return or by throw.
pub(crate) struct Finished {
    pub(crate) id: InvocationId,
    pub(crate) trigger: Trigger,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Trigger {
    Inbox(Work),
    /// A request that is not in the inbox. Its client is answered when it is committed.
    Direct(Work),
    Hook,
}

impl Trigger {
    /// The accepted work, unless it was a hook.
    fn work(&self) -> Option<&Work> {
        match self {
            Trigger::Inbox(work) | Trigger::Direct(work) => Some(work),
            Trigger::Hook => None,
        }
    }

    /// The cause as it is stored.
    fn cause(&self) -> provenance::Cause {
        let Some(work) = self.work() else {
            return provenance::Cause::new("hook");
        };
        provenance::Cause::of(work.kind, work.prop.as_deref())
    }
}

/// Rows that belong to no ended invocation.
#[derive(Default)]
pub(crate) struct Extras {
    /// Log lines outside of invocations, or of invocations that are retried.
    pub(crate) logs: Vec<(Option<InvocationId>, LogLine)>,
    pub(crate) attempts: Vec<InvocationId>,
    /// Held events that are due.
    pub(crate) due_events: Vec<Work>,
    /// Compute time of invocations that still run, and without one.
    pub(crate) compute_ms: u64,
    /// The longest chain that the process has worked on; its log lines may come from there.
    pub(crate) depth: u32,
}

impl Extras {
    pub(crate) fn is_empty(&self) -> bool {
        self.logs.is_empty()
            && self.attempts.is_empty()
            && self.due_events.is_empty()
            && self.compute_ms == 0
    }
}

/// Builds the batch of a source, and moves its state forward with it.
pub(crate) struct SourceCommit<'a> {
    pub(crate) definition: &'a Definition,
    pub(crate) dedupe: &'a mut DedupeState,
    pub(crate) streak: &'a mut Streak,
    pub(crate) requests: &'a mut RequestSample,
    pub(crate) rows: RowBuilder<'a>,
}

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_ts: Option<i64>,
}

/// The invocation that rows come from.
#[derive(Clone, Copy)]
struct Cause<'a> {
    provenance: &'a Arc<Provenance>,
    id: InvocationId,
    event: &'a str,
    kind: &'a str,
    depth: u32,
    trace: Option<&'a TraceContext>,
}

impl SourceCommit<'_> {
    pub(crate) fn build(
        mut self,
        fence: Fence,
        commit_no: i64,
        finished: Vec<Finished>,
        extras: Extras,
    ) -> Batch {
        let source = &self.definition.source;
        let (id, user): (&SourceId, &UserId) = (&source.id, &source.user_id);
        let mut batch = Batch::new(
            id.clone().into(),
            user.clone(),
            fence,
            commit_no,
            self.rows.now_ms,
            self.rows.max_depth,
        );
        batch.attempts = extras.attempts;
        batch.usage.compute_ms = extras.compute_ms;
        for (invocation, line) in extras.logs {
            batch
                .logs
                .push(self.rows.log(invocation, line, extras.depth));
        }
        for work in extras.due_events {
            self.release(&work, &mut batch);
        }
        let has_emits = finished.iter().any(|one| !one.outcome.emits.is_empty());
        let outcomes = outcomes(&finished);
        batch.streak = self.streak.add(outcomes, self.rows.now_ms);
        let work = finished.iter().filter_map(|one| one.trigger.work());
        batch.request = self.requests.take(work, self.rows.now_ms);
        for one in finished {
            self.add(one, &mut batch);
        }
        // Emits change the dedupe state even when none of them passes it.
        if has_emits || !batch.events.is_empty() || !batch.released.is_empty() {
            batch.state = Some(self.state());
        }
        batch
    }

    fn state(&self) -> StateRow {
        let dedupe = (*self.dedupe != DedupeState::default())
            .then(|| serde_json::to_string(self.dedupe).ok())
            .flatten();
        StateRow {
            last_event: *self.rows.last_event,
            dedupe,
        }
    }

    fn add(&mut self, finished: Finished, batch: &mut Batch) {
        let Finished {
            id,
            trigger,
            outcome,
        } = finished;
        let Outcome {
            emits,
            writes,
            logs,
            failure,
            duration,
            uncharged,
            answer: _,
            step: _,
            held,
        } = outcome;
        batch.held.push(held);
        batch.usage.invocations += 1;
        batch.usage.compute_ms += compute_ms(uncharged);
        let (event, kind, depth, trace) = match &trigger {
            Trigger::Inbox(work) | Trigger::Direct(work) => (
                &*work.event,
                work.kind.as_str(),
                work.depth,
                work.trace.as_ref(),
            ),
            Trigger::Hook => ("null", "hook", 0, None),
        };
        let provenance = Arc::new(Provenance {
            invocation: id,
            cause: trigger.cause(),
            duration_ms: u64::try_from(millis(duration)).ok(),
            trace: trace.cloned(),
        });
        let cause = Cause {
            provenance: &provenance,
            id,
            event,
            kind,
            depth,
            trace,
        };
        batch.traces.extend(trace.cloned());
        for line in logs {
            batch.logs.push(self.rows.log(Some(id), line, depth));
        }
        batch.writes.extend(writes);
        self.add_emits(emits, cause, batch);
        if let Some(failure) = failure {
            batch.errors += 1;
            self.add_error(&failure, cause, batch);
        }
        match trigger {
            Trigger::Inbox(work) => {
                batch.ticks.extend(self.rows.next_tick(&work));
                batch.done.push(id);
            }
            Trigger::Direct(_) => batch.direct.push(id),
            Trigger::Hook => {}
        }
    }

    fn add_emits(&mut self, mut emits: Vec<Emit>, cause: Cause<'_>, batch: &mut Batch) {
        if emits.is_empty() {
            return;
        }
        order_by_ts(&mut emits, finite_ts);
        let keys: Vec<DedupeKey> = emits
            .iter()
            .map(|emit| DedupeKey {
                id: emit.id.as_text().map(str::to_owned),
                ts: finite_ts(emit),
            })
            .collect();
        let verdicts = self.dedupe.admit(self.definition.shape.dedupe, &keys);
        for (emit, verdict) in emits.into_iter().zip(verdicts) {
            let rejected = match verdict {
                Verdict::Emit => {
                    self.add_emit(emit, cause, batch);
                    continue;
                }
                Verdict::Duplicate => {
                    batch.duplicates += 1;
                    continue;
                }
                Verdict::MissingId if emit.id == EmitId::Invalid => {
                    "an event was emitted with an id that is neither a string nor a number, which the source's dedupe strategy needs"
                }
                Verdict::MissingId => {
                    "an event was emitted without an id, which the source's dedupe strategy needs"
                }
                Verdict::NotANumber => {
                    "an event was emitted with an id that is not a number, which dedupe \"greatest\" needs"
                }
            };
            let error = failure("InvalidEmit", format!("{rejected}: it was not emitted"));
            self.add_error(&error, cause, batch);
        }
    }

    fn add_emit(&mut self, emit: Emit, cause: Cause<'_>, batch: &mut Batch) {
        let Emit {
            data,
            id,
            channel,
            summary,
            ts,
            delivery_ts,
        } = emit;
        let emit_id = self.rows.emit_id();
        let mut event = self
            .rows
            .event(emit_id, channel.replace('\0', ""), data, cause.depth);
        event.meta = meta_json(&Meta {
            id: id.as_text(),
            summary: summary.as_deref(),
            ts: ts.as_ref(),
            delivery_ts,
        });
        event.trace = cause.trace.cloned();
        event.provenance = Some(Arc::clone(cause.provenance));
        let now_ms = self.rows.now_ms;
        event.held_until = delivery_ts.filter(|due| *due > now_ms);
        if cause.depth >= self.rows.max_depth && !event.starts_chain(now_ms) {
            let about = Cause {
                event: event.data.get(),
                ..cause
            };
            let (error, log) = self.error_rows(&event_loop("sources", cause.depth), about);
            event.loop_error = Some(Box::new(LoopError {
                event: error,
                log: Some(log),
            }));
        }
        batch.events.push(event);
    }

    fn release(&mut self, work: &Work, batch: &mut Batch) {
        batch.done.push(work.id);
        if let Ok(held) = serde_json::from_str(&work.event) {
            batch.released.push(ReleasedEvent {
                held,
                id: self.rows.event_id(),
                depth: work.depth,
            });
        }
    }

    /// An error is a line in the source's log and an event in its `$errors`.
    fn add_error(&mut self, failure: &Failure, cause: Cause<'_>, batch: &mut Batch) {
        let (event, log) = self.error_rows(failure, cause);
        batch.events.push(event);
        batch.logs.push(log);
    }

    fn error_rows(&mut self, failure: &Failure, cause: Cause<'_>) -> (EventRow, LogRow) {
        let now_ms = self.rows.now_ms;
        let line = LogLine {
            ts: now_ms,
            kind: "error".to_owned(),
            level: LogLevel::Error,
            message: failure.to_log(),
        };
        let log = self.rows.log(Some(cause.id), line, cause.depth);
        let source = &self.definition.source;
        let emit_id = self.rows.emit_id();
        let data: Box<RawValue> = ErrorEvent {
            emit_id: &emit_id,
            at_ms: now_ms,
            origin: ErrorOrigin::Source {
                id: &source.id,
                component: &source.component_id,
            },
            user: &source.user_id,
            invocation: &cause.id,
            started_ms: now_ms,
            trigger: cause.kind,
            event: cause.event,
            failure,
        }
        .to_json();
        let mut event = self
            .rows
            .event(emit_id, ERROR_CHANNEL.to_owned(), data, cause.depth);
        event.trace = cause.trace.cloned();
        event.provenance = Some(Arc::clone(cause.provenance));
        event.meta = meta_json(&Meta {
            id: None,
            summary: Some(&failure.message),
            ts: None,
            delivery_ts: None,
        });
        (event, log)
    }
}

/// Those of hooks do not count: their callers see them.
fn outcomes(finished: &[Finished]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for Finished {
        trigger, outcome, ..
    } in finished
    {
        match (trigger, &outcome.failure) {
            (Trigger::Hook, _) => {}
            (_, None) => outcomes.success(),
            (_, Some(failure)) => outcomes.failure(failure),
        }
    }
    outcomes
}

fn meta_json(meta: &Meta<'_>) -> String {
    serde_json::to_string(meta).unwrap_or_else(|_| "{}".to_owned())
}

fn finite_ts(emit: &Emit) -> Option<f64> {
    emit.ts
        .as_ref()
        .and_then(Value::as_f64)
        .filter(|ts| ts.is_finite())
}
