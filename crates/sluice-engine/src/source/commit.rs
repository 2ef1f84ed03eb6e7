//! From what invocations did to the rows they leave behind: emits are ordered, deduplicated and numbered,
//! failures become errors, and a tick arms its timer again.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_model::{
    DedupeKey, DedupeState, EmitId, EventId, IdGen, InvocationId, TimerSpec, Verdict,
    next_interval_slot, order_by_ts,
};
use sluice_runtime::{Emit, Failure, LogLevel, LogLine, Outcome};
use sluice_store::{inbox::InboxKind, usage::Usage};

use super::{
    Definition,
    batch::{Batch, EventRow, LogRow},
    definition::Memory,
    error_event::{ERROR_CHANNEL, ErrorEvent},
};
use crate::{context::MS_PER_DAY, mailbox::Work};

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

/// Builds a [`Batch`], moving the source's memory forward as it goes.
pub(super) struct BatchBuilder<'a> {
    pub(super) definition: &'a Definition,
    pub(super) memory: &'a mut Memory,
    pub(super) ids: &'a mut IdGen,
    pub(super) now_ms: i64,
}

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<&'a Value>,
}

impl BatchBuilder<'_> {
    pub(super) fn build(
        mut self,
        finished: Vec<Finished>,
        stray: Vec<(Option<InvocationId>, LogLine)>,
        attempts: Vec<InvocationId>,
    ) -> Batch {
        let source = &self.definition.source;
        let mut batch = Batch {
            source: source.id.clone(),
            user: source.user_id.clone(),
            day: self.now_ms.div_euclid(MS_PER_DAY),
            usage: Usage::default(),
            events: Vec::new(),
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
            batch.logs.push(LogRow { invocation, line });
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
        } = outcome;
        batch.usage.invocations += 1;
        batch.usage.compute_ms += u64::try_from(duration.as_millis())
            .unwrap_or(u64::MAX)
            .max(1);
        batch.logs.extend(logs.into_iter().map(|line| LogRow {
            invocation: Some(id),
            line,
        }));
        batch.writes.extend(writes);
        let (event, kind) = match &trigger {
            Trigger::Inbox(work) => (&*work.event, trigger_name(work.kind)),
            Trigger::Hook => ("null", "hook"),
        };
        let context = Context { id, event, kind };
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
                Verdict::Emit => {
                    let meta = Meta {
                        id: emit.id.as_deref(),
                        summary: emit.summary.as_deref(),
                        ts: emit.ts.as_ref(),
                    };
                    let meta = if meta.id.is_none() && meta.summary.is_none() && meta.ts.is_none() {
                        "{}".to_owned()
                    } else {
                        serde_json::to_string(&meta).unwrap_or_default()
                    };
                    self.add_event(emit.channel.replace('\0', ""), meta, |_| emit.data, batch);
                }
                Verdict::Duplicate => batch.duplicates += 1,
                Verdict::MissingId => self.refuse_emit("an event was emitted without an id, which the source's dedupe strategy needs", context, batch),
                Verdict::NotANumber => self.refuse_emit("an event was emitted with an id that is not a number, which dedupe \"greatest\" needs", context, batch),
            }
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
        batch.logs.push(LogRow {
            invocation: Some(context.id),
            line: LogLine {
                ts: self.now_ms,
                kind: "error".to_owned(),
                level: LogLevel::Error,
                message: failure.to_log(),
            },
        });
        let source = &self.definition.source;
        let now_ms = self.now_ms;
        let data = |emit_id: &EmitId| {
            ErrorEvent {
                emit_id,
                at_ms: now_ms,
                source: &source.id,
                component: &source.component_id,
                owner: &source.user_id,
                invocation: &context.id,
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
        });
        self.add_event(
            ERROR_CHANNEL.to_owned(),
            meta.unwrap_or_default(),
            data,
            batch,
        );
    }

    fn add_event(
        &mut self,
        channel: String,
        meta: String,
        data: impl FnOnce(&EmitId) -> Box<RawValue>,
        batch: &mut Batch,
    ) {
        let id = EventId::next(self.memory.last_event, self.now_ms);
        self.memory.last_event = Some(id);
        batch.state_changed = true;
        let emit_id = EmitId::generate(self.ids, self.now_ms);
        let data = data(&emit_id);
        batch.events.push(EventRow {
            id,
            channel,
            emit_id,
            meta,
            data,
        });
    }

    /// A timer is armed again when its tick has run, so that it never overlaps itself.
    fn next_tick(&self, work: &Work) -> Option<(String, i64)> {
        let InboxKind::Timer = work.kind else {
            return None;
        };
        let prop = work.prop.as_deref()?;
        let due = match self.definition.timers.get(prop)? {
            TimerSpec::Interval { seconds } => {
                next_interval_slot(work.accepted_at, *seconds, self.now_ms)
            }
            spec @ TimerSpec::Cron { .. } => spec.next_after(self.now_ms)?,
        };
        Some((prop.to_owned(), due))
    }
}

struct Context<'a> {
    id: InvocationId,
    event: &'a str,
    kind: &'static str,
}

fn trigger_name(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Http => "http",
        InboxKind::Timer => "timer",
        InboxKind::Manual => "manual",
    }
}

fn finite_ts(emit: &Emit) -> Option<f64> {
    emit.ts
        .as_ref()
        .and_then(Value::as_f64)
        .filter(|ts| ts.is_finite())
}
