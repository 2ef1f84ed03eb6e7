//! From what invocations did to the rows they leave behind: emits are ordered, deduplicated and numbered,
//! failures become errors, and a tick arms its timer again.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_infra::MS_PER_DAY;
use sluice_model::{
    DedupeKey, DedupeState, EmitId, EventId, IdGen, InvocationId, Verdict, order_by_ts,
};
use sluice_runtime::{Emit, Failure, LogLevel, LogLine, Outcome};
use sluice_store::{inbox::InboxKind, routes::ERROR_CHANNEL, usage::Usage};

use super::{
    Definition,
    batch::{Batch, EventRow, LogRow, Released, TooDeep},
    definition::Memory,
};
use crate::{
    error_event::{Culprit, ErrorEvent},
    mailbox::Work,
};

/// An invocation that ended, by return or by throw.
pub(super) struct Finished {
    pub(super) id: InvocationId,
    pub(super) trigger: Trigger,
    pub(super) outcome: Outcome,
}

pub(super) enum Trigger {
    Inbox(Work),
    Hook,
}

/// What happened outside of invocations, or to them before they ended.
#[derive(Default)]
pub(super) struct Aside {
    pub(super) stray: Vec<(Option<InvocationId>, LogLine)>,
    pub(super) attempts: Vec<InvocationId>,
    /// Events whose time has come.
    pub(super) due: Vec<Work>,
    /// Of the deepest work that the process had; its stray lines may come from there.
    pub(super) deepest: u32,
}

impl Aside {
    pub(super) fn is_empty(&self) -> bool {
        self.stray.is_empty() && self.attempts.is_empty() && self.due.is_empty()
    }
}

/// Builds a [`Batch`], moving the source's memory forward as it goes.
pub(super) struct BatchBuilder<'a> {
    pub(super) definition: &'a Definition,
    pub(super) memory: &'a mut Memory,
    pub(super) ids: &'a mut IdGen,
    pub(super) now_ms: i64,
    pub(super) max_depth: u32,
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

impl BatchBuilder<'_> {
    pub(super) fn build(mut self, finished: Vec<Finished>, aside: Aside) -> Batch {
        let Aside {
            stray,
            attempts,
            due,
            deepest,
        } = aside;
        let source = &self.definition.source;
        let mut batch = Batch {
            source: source.id.clone(),
            user: source.user_id.clone(),
            now_ms: self.now_ms,
            max_depth: self.max_depth,
            day: self.now_ms.div_euclid(MS_PER_DAY),
            usage: Usage::default(),
            events: Vec::new(),
            released: Vec::new(),
            state_changed: false,
            last_event: None,
            dedupe: None,
            writes: BTreeMap::new(),
            logs: Vec::new(),
            done: Vec::with_capacity(finished.len()),
            attempts,
            due: Vec::new(),
            failed: 0,
            duplicates: 0,
        };
        for (invocation, line) in stray {
            let row = self.log_row(invocation, line, deepest);
            batch.logs.push(row);
        }
        for work in due {
            self.release(&work, &mut batch);
        }
        for one in finished {
            self.add(one, &mut batch);
        }
        if batch.state_changed {
            batch.last_event = self.memory.last_event;
            if self.memory.dedupe != DedupeState::default() {
                batch.dedupe = serde_json::to_string(&self.memory.dedupe).ok();
            }
        }
        batch
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
            answer: _,
            step: _,
        } = outcome;
        batch.usage.invocations += 1;
        batch.usage.compute_ms += u64::try_from(duration.as_millis())
            .unwrap_or(u64::MAX)
            .max(1);
        let (event, kind, depth) = match &trigger {
            Trigger::Inbox(work) => (&*work.event, work.kind.as_str(), work.depth),
            Trigger::Hook => ("null", "hook", 0),
        };
        let context = Context {
            id,
            event,
            kind,
            depth,
        };
        for line in logs {
            let row = self.log_row(Some(id), line, depth);
            batch.logs.push(row);
        }
        batch.writes.extend(writes);
        self.add_emits(emits, &context, batch);
        if let Some(failure) = failure {
            batch.failed += 1;
            self.add_failure(&failure, &context, batch);
        }
        if let Trigger::Inbox(work) = trigger {
            batch.due.extend(self.next_tick(&work));
            batch.done.push(id);
        }
    }

    fn add_emits(&mut self, mut emits: Vec<Emit>, context: &Context<'_>, batch: &mut Batch) {
        if emits.is_empty() {
            return;
        }
        batch.state_changed = true;
        order_by_ts(&mut emits, finite_ts);
        let keys: Vec<DedupeKey> = emits
            .iter()
            .map(|emit| DedupeKey {
                id: emit.id.clone(),
                ts: finite_ts(emit),
            })
            .collect();
        let verdicts = self
            .memory
            .dedupe
            .admit(self.definition.shape.dedupe, &keys);
        for (emit, verdict) in emits.into_iter().zip(verdicts) {
            match verdict {
                Verdict::Emit => self.add_emit(emit, context, batch),
                Verdict::Duplicate => batch.duplicates += 1,
                Verdict::MissingId => self.refuse_emit("an event was emitted without an id, which the source's dedupe strategy needs", context, batch),
                Verdict::NotANumber => self.refuse_emit("an event was emitted with an id that is not a number, which dedupe \"greatest\" needs", context, batch),
            }
        }
    }

    fn add_emit(&mut self, emit: Emit, context: &Context<'_>, batch: &mut Batch) {
        let Emit {
            data,
            id,
            channel,
            summary,
            ts,
            delivery_ts,
        } = emit;
        let meta = Meta {
            id: id.as_deref(),
            summary: summary.as_deref(),
            ts: ts.as_ref(),
            delivery_ts,
        };
        let meta = if matches!(
            meta,
            Meta {
                id: None,
                summary: None,
                ts: None,
                delivery_ts: None
            }
        ) {
            "{}".to_owned()
        } else {
            serde_json::to_string(&meta).unwrap_or_default()
        };
        let mut event = self.event_row(channel.replace('\0', ""), meta, |_| data, context.depth);
        event.held_until = delivery_ts.filter(|due| *due > self.now_ms);
        if context.depth >= self.max_depth && !event.begins_a_chain(self.now_ms) {
            event.too_deep = Some(Box::new(self.too_deep(event.data.get(), context)));
        }
        batch.state_changed = true;
        batch.events.push(event);
    }

    /// What takes the place of an event that is not passed on; only if a source listens to it.
    fn too_deep(&mut self, event: &str, context: &Context<'_>) -> TooDeep {
        let failure = Failure {
            name: "EventLoop".to_owned(),
            message: format!(
                "an event was not passed on to the sources that listen to it: {} events in a row have led to one another",
                context.depth
            ),
            stack: String::new(),
            code: None,
        };
        let about = Context { event, ..*context };
        let (event, log) = self.failure_rows(&failure, &about);
        TooDeep { event, log }
    }

    /// An event whose time has come gets a new id, so that those who follow the source by ids meet it.
    fn release(&mut self, work: &Work, batch: &mut Batch) {
        batch.done.push(work.id);
        if let Ok(held) = serde_json::from_str(&work.event) {
            let id = self.next_event_id();
            batch.state_changed = true;
            batch.released.push(Released {
                held,
                id,
                depth: work.depth,
            });
        }
    }

    fn refuse_emit(&mut self, why: &str, context: &Context<'_>, batch: &mut Batch) {
        let failure = Failure {
            name: "InvalidEmit".to_owned(),
            message: format!("{why}: it was not emitted"),
            stack: String::new(),
            code: None,
        };
        self.add_failure(&failure, context, batch);
    }

    /// An error is a line in the source's logs and an event in its `$errors`.
    fn add_failure(&mut self, failure: &Failure, context: &Context<'_>, batch: &mut Batch) {
        let (event, log) = self.failure_rows(failure, context);
        batch.state_changed = true;
        batch.events.push(event);
        batch.logs.push(log);
    }

    fn failure_rows(&mut self, failure: &Failure, context: &Context<'_>) -> (EventRow, LogRow) {
        let line = LogLine {
            ts: self.now_ms,
            kind: "error".to_owned(),
            level: LogLevel::Error,
            message: failure.to_log(),
        };
        let log = self.log_row(Some(context.id), line, context.depth);
        let source = &self.definition.source;
        let now_ms = self.now_ms;
        let data = |emit_id: &EmitId| {
            ErrorEvent {
                emit_id,
                at_ms: now_ms,
                culprit: Culprit::Source {
                    id: &source.id,
                    component: &source.component_id,
                },
                owner: &source.user_id,
                invocation: &context.id,
                begun_ms: now_ms,
                trigger: context.kind,
                event: context.event,
                failure,
            }
            .to_json()
        };
        let meta = serde_json::to_string(&Meta {
            id: None,
            summary: Some(&failure.message),
            ts: None,
            delivery_ts: None,
        });
        let event = self.event_row(
            ERROR_CHANNEL.to_owned(),
            meta.unwrap_or_default(),
            data,
            context.depth,
        );
        (event, log)
    }

    fn event_row(
        &mut self,
        channel: String,
        meta: String,
        data: impl FnOnce(&EmitId) -> Box<RawValue>,
        depth: u32,
    ) -> EventRow {
        let id = self.next_event_id();
        let emit_id = EmitId::generate(self.ids, self.now_ms);
        let data = data(&emit_id);
        EventRow {
            id,
            channel,
            emit_id,
            meta,
            data,
            depth,
            held_until: None,
            too_deep: None,
        }
    }

    fn next_event_id(&mut self) -> EventId {
        let id = EventId::next(self.memory.last_event, self.now_ms);
        self.memory.last_event = Some(id);
        id
    }

    fn log_row(&mut self, invocation: Option<InvocationId>, line: LogLine, depth: u32) -> LogRow {
        LogRow {
            invocation,
            line,
            emit_id: EmitId::generate(self.ids, self.now_ms),
            depth,
        }
    }

    /// A timer is armed again when its tick has run, so that it never overlaps itself.
    fn next_tick(&self, work: &Work) -> Option<(String, i64)> {
        let InboxKind::Timer = work.kind else {
            return None;
        };
        let prop = work.prop.as_deref()?;
        let timer = self.definition.timers.get(prop)?;
        let due = timer.next_tick(work.accepted_at, self.now_ms)?;
        Some((prop.to_owned(), due))
    }
}

struct Context<'a> {
    id: InvocationId,
    event: &'a str,
    kind: &'static str,
    depth: u32,
}

fn finite_ts(emit: &Emit) -> Option<f64> {
    emit.ts
        .as_ref()
        .and_then(Value::as_f64)
        .filter(|ts| ts.is_finite())
}
