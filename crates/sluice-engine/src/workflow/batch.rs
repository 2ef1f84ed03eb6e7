//! The rows of one transaction of a workflow: what steps did, runs that began, wait or are over, what they send, and the
//! acknowledgement of what triggered them.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::{EmitId, EventId, InvocationId, UserId, WorkflowId};
use sluice_store::{
    Conn, StoreError,
    activity::Counts,
    deliveries::Outgoing,
    events::{self, ChannelFilter, NewEvent},
    inbox, kv,
    run_steps::{self, StepRecord},
    runs::{self, Run, RunState},
    sends::{self, SendRow, SendState},
    state, timers,
    usage::{self, Usage},
    workflows,
};

use crate::{
    activity,
    context::Context,
    owning::Rows,
    routing::{Passed, Reached, Router},
};

/// One transaction's worth of rows. It can be applied again when the store was unavailable.
pub(super) struct Batch {
    pub(super) workflow: WorkflowId,
    pub(super) user: UserId,
    pub(super) now_ms: i64,
    pub(super) max_depth: u32,
    pub(super) day: i64,
    pub(super) usage: Usage,
    pub(super) last_event: Option<EventId>,
    pub(super) writes: BTreeMap<String, Option<Box<RawValue>>>,
    pub(super) attempts: Vec<InvocationId>,
    pub(super) changes: Vec<Change>,
}

/// What happened to one run.
pub(super) struct Change {
    pub(super) run: Run,
    pub(super) kind: ChangeKind,
}

pub(super) enum ChangeKind {
    /// It is written down. A step that waited may export what somebody gave it.
    Begun { resumed: Option<StepRecord> },
    /// A step ended.
    Stepped {
        record: StepRecord,
        sends: Vec<SendRow>,
        over: Option<Over>,
    },
    /// It ended without another step.
    Ended(Over),
    /// What was to go on is not there any more.
    Forgotten,
}

/// The run is over or waits: what it has sent is let go.
#[derive(Default)]
pub(super) struct Over {
    /// Sent by earlier steps, and held until now.
    pub(super) released: Vec<SendRow>,
    pub(super) events: Vec<EventRow>,
    /// The timer that it was a tick of, and when that is due again.
    pub(super) next_tick: Option<(String, i64)>,
}

pub(super) struct EventRow {
    pub(super) id: EventId,
    pub(super) channel: String,
    pub(super) emit_id: EmitId,
    pub(super) meta: String,
    /// As it is listed.
    pub(super) data: Box<RawValue>,
    /// As listeners get it, when that is something else.
    pub(super) bare: Option<Box<RawValue>>,
    /// Nobody may listen to it but its streams.
    pub(super) only_streamed: bool,
    /// What is stored when it is too deep for those who listen.
    pub(super) too_deep: Option<Box<EventRow>>,
}

/// What the transaction did beyond what the batch says.
pub(super) struct Applied {
    pub(super) reached: Reached,
    /// Whether the events of the batch are all that it stored.
    pub(super) as_planned: bool,
    pub(super) counts: Counts,
}

impl Rows for Batch {
    type Applied = Applied;

    fn apply(&self, c: &mut dyn Conn) -> Result<Applied, StoreError> {
        let mut router = self.router(c)?;
        let mut as_planned = true;
        // It was removed meanwhile, and nothing of it is to come back.
        if !workflows::exists(c, &self.workflow)? {
            return Ok(Applied {
                reached: Reached::default(),
                as_planned: false,
                counts: Counts::default(),
            });
        }
        for change in &self.changes {
            self.apply_change(c, change)?;
            for event in change.events() {
                as_planned &= self.store_event(c, &mut router, event, change.run.depth)?;
            }
        }
        let emitter = &self.workflow;
        let counts = self.counts();
        if self.last_event.is_some() {
            let emitted_at = (counts.events > 0).then_some(self.now_ms);
            state::save_raw(c, emitter, self.last_event, None, emitted_at)?;
        }
        for (key, value) in &self.writes {
            match value {
                Some(json) => kv::set(c, emitter, key, json.get())?,
                None => kv::delete(c, emitter, key)?,
            }
        }
        for id in &self.attempts {
            inbox::add_attempt(c, emitter, id)?;
        }
        activity::count(c, &self.user, emitter, self.now_ms, counts)?;
        if self.usage.invocations > 0 || self.usage.compute_ms > 0 {
            usage::add(c, &self.user, self.day, self.usage)?;
        }
        Ok(Applied {
            reached: router.into_reached(),
            as_planned,
            counts,
        })
    }

    fn if_kept(&self, c: &mut dyn Conn) -> Result<Option<Applied>, StoreError> {
        for Change { run, kind } in &self.changes {
            let kept = match kind {
                ChangeKind::Stepped { record, .. } => {
                    run_steps::contains(c, &self.workflow, &run.id, record)?
                }
                ChangeKind::Ended(_) | ChangeKind::Forgotten => {
                    !inbox::contains(c, &self.workflow, &run.id)?
                }
                ChangeKind::Begun { .. } => continue,
            };
            return Ok(if kept {
                Some(Applied {
                    reached: self.router(c)?.everybody(),
                    as_planned: false,
                    counts: self.counts(),
                })
            } else {
                None
            });
        }
        Ok(None)
    }

    /// Every run in it fails, and says so.
    fn without_effects(self, why: &str, _: &Context) -> Batch {
        let changes = self.changes.into_iter().map(|change| {
            let Change { mut run, kind } = change;
            let next_tick = kind.over().and_then(|over| over.next_tick.clone());
            if let ChangeKind::Begun { .. } | ChangeKind::Forgotten = kind {
                return Change { run, kind };
            }
            super::progress::finish(&mut run, RunState::Failed, self.now_ms);
            run.error = Some(sluice_model::workflow::RunError {
                step: None,
                code: "NotStored".to_owned(),
                message: format!("what a step did could not be stored: {why}"),
                stack: String::new(),
            });
            Change {
                run,
                kind: ChangeKind::Ended(Over {
                    next_tick,
                    ..Over::default()
                }),
            }
        });
        Batch {
            changes: changes.collect(),
            writes: BTreeMap::new(),
            last_event: None,
            ..self
        }
    }
}

impl Batch {
    fn router(&self, c: &mut dyn Conn) -> Result<Router<'_>, StoreError> {
        Router::load(c, &self.user, &self.workflow, self.now_ms, self.max_depth)
    }

    fn apply_change(&self, c: &mut dyn Conn, change: &Change) -> Result<(), StoreError> {
        let Change { run, kind } = change;
        match kind {
            ChangeKind::Begun { resumed } => {
                runs::begin(c, run)?;
                if let Some(record) = resumed {
                    run_steps::set_exports(c, &self.workflow, &run.id, record)?;
                }
            }
            ChangeKind::Stepped {
                record,
                sends,
                over,
            } => {
                run_steps::insert(c, &self.workflow, &run.id, record)?;
                for send in sends {
                    sends::insert(c, send)?;
                }
                if let Some(over) = over {
                    runs::update(c, run, self.now_ms)?;
                    self.let_go(c, run, over)?;
                }
            }
            ChangeKind::Ended(over) => {
                runs::begin(c, run)?;
                self.let_go(c, run, over)?;
            }
            ChangeKind::Forgotten => {
                inbox::remove(c, &self.workflow, &run.id)?;
            }
        }
        Ok(())
    }

    fn let_go(&self, c: &mut dyn Conn, run: &Run, over: &Over) -> Result<(), StoreError> {
        for send in &over.released {
            sends::update(c, send)?;
        }
        if let Some((prop, due)) = &over.next_tick {
            timers::set_due(c, &self.workflow, prop, Some(*due))?;
        }
        inbox::remove(c, &self.workflow, &run.id)?;
        Ok(())
    }

    /// False when more was stored than the event.
    fn store_event(
        &self,
        c: &mut dyn Conn,
        router: &mut Router<'_>,
        event: &EventRow,
        depth: u32,
    ) -> Result<bool, StoreError> {
        events::insert(c, &self.workflow, &event.new_event())?;
        if event.only_streamed {
            return Ok(true);
        }
        let outgoing = Outgoing {
            emit_id: &event.emit_id,
            emitter: &self.workflow,
            id: event.id,
            channel: &event.channel,
            data: event.bare.as_ref().unwrap_or(&event.data).get(),
        };
        let passed = router.pass_on(c, &outgoing, depth)?;
        match (passed, &event.too_deep) {
            (Passed::ToWebhooks, Some(instead)) => {
                self.store_event(c, router, instead, depth)?;
                Ok(false)
            }
            _ => Ok(true),
        }
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &EventRow> {
        self.changes.iter().flat_map(Change::events)
    }

    fn counts(&self) -> Counts {
        let has_failed =
            |change: &&Change| change.over().is_some() && change.run.state == RunState::Failed;
        let events = self
            .events()
            .filter(|event| ChannelFilter::AllButSystem.admits(&event.channel));
        Counts {
            events: events.count() as u64,
            errors: self.changes.iter().filter(has_failed).count() as u64,
            invocations: self.usage.invocations,
            compute_ms: self.usage.compute_ms,
        }
    }

    /// When the first of what it armed is due: timers, and runs that wait.
    pub(super) fn earliest_due(&self) -> Option<i64> {
        let runs = self.changes.iter().filter_map(|change| change.run.due_at);
        let ticks = self.changes.iter().filter_map(|change| {
            let (_, due) = change.over()?.next_tick.as_ref()?;
            Some(*due)
        });
        runs.chain(ticks).min()
    }

    /// When the first send is due that it let go.
    pub(super) fn earliest_send(&self) -> Option<i64> {
        let rows = self.changes.iter().flat_map(Change::let_go);
        rows.filter(|send| send.state == SendState::Pending)
            .filter_map(|send| send.due_at)
            .min()
    }
}

impl Change {
    fn over(&self) -> Option<&Over> {
        self.kind.over()
    }

    pub(super) fn events(&self) -> &[EventRow] {
        self.over().map_or(&[], |over| &over.events)
    }

    fn let_go(&self) -> impl Iterator<Item = &SendRow> {
        let own: &[SendRow] = match &self.kind {
            ChangeKind::Stepped { sends, .. } => sends,
            ChangeKind::Begun { .. } | ChangeKind::Ended(_) | ChangeKind::Forgotten => &[],
        };
        let released = self.over().map_or(&[][..], |over| &over.released);
        own.iter().chain(released)
    }
}

impl ChangeKind {
    pub(super) fn over(&self) -> Option<&Over> {
        match self {
            ChangeKind::Stepped { over, .. } => over.as_ref(),
            ChangeKind::Ended(over) => Some(over),
            ChangeKind::Begun { .. } | ChangeKind::Forgotten => None,
        }
    }
}

impl EventRow {
    /// Whether a step emitted it.
    pub(super) fn is_emitted(&self) -> bool {
        self.bare.is_some()
    }

    pub(super) fn new_event(&self) -> NewEvent<'_> {
        NewEvent {
            id: self.id,
            channel: &self.channel,
            emit_id: self.emit_id.as_str(),
            meta: &self.meta,
            data: self.data.get(),
        }
    }
}
