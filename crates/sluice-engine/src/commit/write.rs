//! Writing a batch: the only place that turns one into rows.
//!
//! Two round trips at most: one for everything that a commit reads, with its number, and one for everything that it writes.

use std::sync::Arc;

use sluice_infra::MS_PER_HOUR;
use sluice_model::{EmitId, EmitterKind, InvocationId, TraceContext};
use sluice_store::{
    Conn, Query, StoreError,
    activity::Counts,
    count_ledger,
    deliveries::Outgoing,
    events::{self, NewEvent, StoredEvent, Take},
    held_events::{self, HeldEvent},
    inbox,
    kept_rows::Kept,
    kv, last_requests,
    logs::{self, NewLog, Reservation},
    provenance::Provenance,
    routes::Listeners,
    run_steps, runs, sends,
    state::{self, Advance, TakeNumber},
    subject_health, timers,
};

use super::batch::{
    Applied, Audience, Batch, EventRow, LogRow, LoopError, ReleasedEvent, RunChange, RunChangeKind,
    RunEnd,
};
use crate::route::{Routed, Router};

/// Writes a batch. A batch whose commit number is stored already was committed before: its reply was lost. Nothing of a
/// fenced batch is kept.
pub(super) fn write(c: &mut dyn Conn, batch: &Batch) -> Result<Applied, StoreError> {
    let mut reads = Reads::new(batch);
    c.query_together(&mut reads.queries())?;
    let emitter = &batch.emitter;
    match reads.number.outcome(c)? {
        Advance::Advanced => {
            let generation = reads.number.generation();
            let applied = write_rows(c, batch, reads)?;
            Ok(Applied {
                generation,
                ..applied
            })
        }
        Advance::Repeated => Ok(Applied {
            recipients: reads.router(batch).all_listeners(),
            more_events: None,
            holds: Vec::new(),
            counts: batch.counts(&[]),
            generation: None,
        }),
        Advance::Fenced => Err(StoreError::Fenced(format!(
            "another server has taken over {emitter}"
        ))),
        Advance::Gone => Err(StoreError::Fenced(format!("{emitter} was removed"))),
        Advance::OutOfOrder(last) => Err(StoreError::Conflict(format!(
            "commit {} of {emitter} is not the next one: the last was {last}",
            batch.commit_no
        ))),
    }
}

/// Everything that a commit reads, in one round trip.
struct Reads<'a> {
    /// First: its row lock makes a retry wait for a commit that is still in progress.
    number: TakeNumber<'a>,
    listeners: Listeners<'a>,
    log_lines: Option<Reservation>,
    released: Vec<Take<'a>>,
}

impl<'a> Reads<'a> {
    fn new(batch: &'a Batch) -> Reads<'a> {
        let emitter = &batch.emitter;
        let state = batch.state.as_ref().map(|row| {
            let emits = batch.counts(&[]).events > 0 || !batch.released.is_empty();
            state::NewState {
                last_event: row.last_event,
                dedupe: row.dedupe.as_deref(),
                emitted_at: emits.then_some(batch.now_ms),
            }
        });
        let lines = batch.logs.len() + batch.events.iter().map(possible_lines).sum::<usize>();
        let released = batch.released.iter();
        Reads {
            number: TakeNumber::new(emitter, &batch.fence, batch.commit_no, state),
            listeners: Listeners::new(&batch.user, emitter),
            log_lines: (lines > 0).then(|| Reservation::new(lines)),
            released: released
                .map(|released| Take::new(emitter, released.held))
                .collect(),
        }
    }

    fn queries<'q>(&'q mut self) -> Vec<&'q mut (dyn Query<'a> + 'q)> {
        let mut queries: Vec<&'q mut (dyn Query<'a> + 'q)> =
            vec![&mut self.number, &mut self.listeners];
        queries.extend(self.log_lines.iter_mut().map(|query| query as _));
        queries.extend(self.released.iter_mut().map(|query| query as _));
        queries
    }

    fn router(self, batch: &'a Batch) -> Router<'a> {
        router(batch, self.listeners)
    }
}

fn router<'a>(batch: &'a Batch, listeners: Listeners<'a>) -> Router<'a> {
    let routes = listeners.routes;
    Router::new(&batch.emitter, routes, batch.now_ms, batch.max_depth)
}

/// The log lines that come with an event, if its chain turns out to be too long.
fn possible_lines(event: &EventRow) -> usize {
    let instead = event.loop_error.as_deref();
    instead.map_or(0, |LoopError { event, log }| {
        usize::from(log.is_some()) + possible_lines(event)
    })
}

fn write_rows(c: &mut dyn Conn, batch: &Batch, reads: Reads<'_>) -> Result<Applied, StoreError> {
    let emitter = &batch.emitter;
    let mut rows = Rows {
        batch,
        router: router(batch, reads.listeners),
        events: Vec::with_capacity(batch.events.len()),
        held: Vec::new(),
        more_events: Vec::new(),
        more_provenances: Vec::new(),
        holds: Vec::new(),
        log_places: reads
            .log_lines
            .map_or_else(Vec::new, |lines| lines.seqs)
            .into_iter(),
        logs: Vec::with_capacity(batch.logs.len()),
        kept: Kept::default(),
    };
    for event in &batch.events {
        rows.add_event(event)?;
    }
    for (released, take) in batch.released.iter().zip(reads.released) {
        rows.release(released, take)?;
    }
    for row in &batch.logs {
        rows.add_log(row)?;
    }

    for change in &batch.runs {
        write_run(c, batch, change)?;
    }
    let more = rows.more_events.iter().map(StoredEvent::as_new);
    let more = more.zip(rows.more_provenances.iter().map(Option::as_deref));
    events::insert_all(c, emitter, rows.events.iter().copied().chain(more))?;
    for held in &rows.held {
        held_events::insert(c, held)?;
    }
    for released in &batch.released {
        held_events::remove(c, emitter, released.held)?;
    }
    let writes = batch.writes.iter();
    let writes = writes.map(|(key, json)| (&**key, json.as_ref().map(|json| json.get())));
    kv::write_all(c, emitter, writes)?;
    if let Some(request) = &batch.request {
        last_requests::record(c, emitter, request, batch.now_ms)?;
    }
    logs::insert_all(c, emitter, rows.logs.into_iter())?;
    let recipients = rows.router.write(c)?;
    inbox::add_attempts(c, emitter, &batch.attempts)?;
    inbox::remove_all(c, emitter, &batch.done)?;
    for tick in &batch.ticks {
        timers::rearm(c, emitter, &tick.prop, tick.due_at, tick.last)?;
    }
    if let Some(change) = &batch.streak {
        let id = emitter.as_str();
        subject_health::record(c, &batch.user, id, change, batch.now_ms)?;
    }
    let counts = batch.counts(&rows.more_events);
    if counts != Counts::default() || rows.kept != Kept::default() {
        let hour = batch.now_ms.div_euclid(MS_PER_HOUR);
        count_ledger::add(c, &batch.user, emitter, hour, counts, rows.kept)?;
    }
    Ok(Applied {
        recipients,
        more_events: Some(rows.more_events),
        holds: rows.holds,
        counts,
        generation: None,
    })
}

/// The rows of a batch, by table.
struct Rows<'a> {
    batch: &'a Batch,
    router: Router<'a>,
    events: Vec<(NewEvent<'a>, Option<&'a Provenance>)>,
    held: Vec<HeldEvent>,
    /// Stored besides those of the batch: errors of chains that are too long, and released events.
    more_events: Vec<StoredEvent>,
    /// Of each of these.
    more_provenances: Vec<Option<Arc<Provenance>>>,
    holds: Vec<(TraceContext, i64)>,
    log_places: std::vec::IntoIter<i64>,
    logs: Vec<(i64, NewLog<'a>)>,
    /// What the emitter has more than before. Released events are none of it: they were stored already.
    kept: Kept,
}

impl<'a> Rows<'a> {
    fn add_event(&mut self, event: &'a EventRow) -> Result<(), StoreError> {
        let provenance = event.provenance.as_deref();
        self.events.push((event.new_event(), provenance));
        self.kept.add_events(&event.channel, 1);
        self.route_event(event)
    }

    fn route_event(&mut self, event: &'a EventRow) -> Result<(), StoreError> {
        let batch = self.batch;
        if event.audience == Audience::Stream {
            return Ok(());
        }
        let extent = match event.held_until {
            None => self
                .router
                .route(&event.outgoing(&batch.emitter), event.depth),
            Some(due_at) => {
                let depth = if event.starts_chain(batch.now_ms) {
                    0
                } else {
                    event.depth
                };
                self.held.push(HeldEvent {
                    emitter_id: batch.emitter.clone(),
                    id: event.id,
                    due_at,
                    depth,
                });
                self.router.forecast(&event.channel, depth)
            }
        };
        if let (Routed::ToWebhooksOnly, Some(instead)) = (extent, &event.loop_error) {
            let LoopError { event, log } = &**instead;
            self.route_event(event)?;
            if let Some(log) = log {
                self.add_log(log)?;
            }
            self.more_events.push(event.stored());
            self.kept.add_events(&event.channel, 1);
            self.more_provenances.push(event.provenance.clone());
        }
        Ok(())
    }

    /// Stores a held event under its new id and routes it, unless it was deleted meanwhile.
    fn release(&mut self, released: &ReleasedEvent, take: Take<'_>) -> Result<(), StoreError> {
        let Some(mut event) = take.taken else {
            return Ok(());
        };
        event.id = released.id;
        let emit_id = EmitId::parse(&event.emit_id)
            .ok_or_else(|| StoreError::Corrupt(format!("the emit id of {}", event.id)))?;
        let outgoing = Outgoing {
            emit_id: &emit_id,
            emitter: &self.batch.emitter,
            id: event.id,
            channel: &event.channel,
            meta: &event.meta,
            data: &event.data,
            trace: take
                .provenance
                .as_ref()
                .and_then(|cause| cause.trace.as_ref()),
        };
        self.router.route_copy(&outgoing, released.depth);
        let hold = outgoing
            .trace
            .map(|trace| (trace.clone(), released.held.ms));
        self.holds.extend(hold);
        self.more_events.push(event);
        self.more_provenances.push(take.provenance.map(Arc::new));
        Ok(())
    }

    fn add_log(&mut self, row: &'a LogRow) -> Result<(), StoreError> {
        let LogRow {
            invocation,
            line,
            emit_id,
            depth,
        } = row;
        let row = NewLog {
            invocation: invocation.as_ref().map(InvocationId::as_str),
            ts: line.ts,
            kind: &line.kind,
            level: line.level.as_str(),
            message: &line.message,
        };
        let seq = self.log_places.next();
        let seq = seq.ok_or_else(|| StoreError::Internal("no place for a log line".to_owned()))?;
        self.router.route_log(&row, seq, emit_id, *depth)?;
        self.logs.push((seq, row));
        self.kept.logs += 1;
        Ok(())
    }
}

fn write_run(c: &mut dyn Conn, batch: &Batch, change: &RunChange) -> Result<(), StoreError> {
    let EmitterKind::Workflow(workflow) = batch.emitter.kind() else {
        return Err(StoreError::Internal("a source has no runs".to_owned()));
    };
    let RunChange { run, kind } = change;
    match kind {
        RunChangeKind::Started { resumed } => {
            runs::begin(c, run)?;
            if let Some(record) = resumed {
                run_steps::set_exports(c, &workflow, &run.id, record)?;
            }
        }
        RunChangeKind::Step { record, sends, end } => {
            run_steps::insert(c, &workflow, &run.id, record)?;
            for send in sends {
                sends::insert(c, send)?;
            }
            if let Some(end) = end {
                runs::update(c, run, batch.now_ms)?;
                release_sends(c, end)?;
            }
        }
        RunChangeKind::Ended(end) => {
            runs::begin(c, run)?;
            release_sends(c, end)?;
        }
        RunChangeKind::Forgotten => {}
    }
    Ok(())
}

fn release_sends(c: &mut dyn Conn, end: &RunEnd) -> Result<(), StoreError> {
    end.released
        .iter()
        .try_for_each(|send| sends::update(c, send))
}
