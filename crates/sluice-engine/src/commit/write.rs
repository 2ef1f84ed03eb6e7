//! Writing a batch: the only place that turns one into rows.

use sluice_infra::{MS_PER_DAY, MS_PER_HOUR};
use sluice_model::{EmitId, EmitterKind, InvocationId};
use sluice_store::{
    Conn, StoreError,
    activity::{self, Counts},
    deliveries::Outgoing,
    events::{self, StoredEvent},
    held_events::{self, HeldEvent},
    inbox, kv,
    logs::NewLog,
    run_steps, runs, sends,
    state::{self, Advance},
    timers, usage, workflows,
};

use super::batch::{
    Applied, Audience, Batch, EventRow, LogRow, LoopError, ReleasedEvent, RunChange, RunChangeKind,
    RunEnd,
};
use crate::route::{Recipients, Routed, Router};

/// Writes a batch. A batch whose commit number is stored already was committed before: its reply was lost.
pub(super) fn write(c: &mut dyn Conn, batch: &Batch) -> Result<Applied, StoreError> {
    if is_removed(c, batch)? {
        return Ok(Applied {
            recipients: Recipients::default(),
            more_events: None,
            counts: Counts::default(),
        });
    }
    match advance(c, batch)? {
        Advance::Advanced => write_rows(c, batch),
        Advance::At(number) if number == batch.commit_no => Ok(Applied {
            recipients: router(c, batch)?.all_listeners(),
            more_events: None,
            counts: batch.counts(&[]),
        }),
        Advance::At(number) => Err(StoreError::Conflict(format!(
            "commit {} of {} is not the next one: the last was {number}",
            batch.commit_no, batch.emitter
        ))),
    }
}

/// A workflow that was removed during its last runs must not come back. A source is removed only when it is quiet.
fn is_removed(c: &mut dyn Conn, batch: &Batch) -> Result<bool, StoreError> {
    match batch.emitter.kind() {
        EmitterKind::Workflow(id) => Ok(!workflows::exists(c, &id)?),
        EmitterKind::Source(_) => Ok(false),
    }
}

/// Takes the commit number. Its row lock makes a retry wait for a commit that is still in progress.
fn advance(c: &mut dyn Conn, batch: &Batch) -> Result<Advance, StoreError> {
    let emitter = &batch.emitter;
    match &batch.state {
        None => state::advance(c, emitter, batch.commit_no),
        Some(row) => {
            let emits = batch.counts(&[]).events > 0 || !batch.released.is_empty();
            let saved = state::NewState {
                last_event: row.last_event,
                dedupe: row.dedupe.as_deref(),
                emitted_at: emits.then_some(batch.now_ms),
            };
            state::advance_with(c, emitter, batch.commit_no, &saved)
        }
    }
}

fn write_rows(c: &mut dyn Conn, batch: &Batch) -> Result<Applied, StoreError> {
    let emitter = &batch.emitter;
    let mut router = router(c, batch)?;
    for change in &batch.runs {
        write_run(c, batch, change)?;
    }
    let mut more_events = Vec::new();
    for event in &batch.events {
        write_event(c, batch, &mut router, event, &mut more_events)?;
    }
    for released in &batch.released {
        more_events.extend(release(c, batch, &mut router, released)?);
    }
    for (key, value) in &batch.writes {
        match value {
            Some(json) => kv::set(c, emitter, key, json.get())?,
            None => kv::delete(c, emitter, key)?,
        }
    }
    for row in &batch.logs {
        write_log(c, &mut router, row)?;
    }
    for id in &batch.attempts {
        inbox::add_attempt(c, emitter, id)?;
    }
    for id in &batch.done {
        inbox::remove(c, emitter, id)?;
    }
    for tick in &batch.ticks {
        timers::rearm(c, emitter, &tick.prop, tick.due_at, tick.last)?;
    }
    let counts = batch.counts(&more_events);
    write_counts(c, batch, counts)?;
    Ok(Applied {
        recipients: router.into_recipients(),
        more_events: Some(more_events),
        counts,
    })
}

fn write_counts(c: &mut dyn Conn, batch: &Batch, counts: Counts) -> Result<(), StoreError> {
    if counts != Counts::default() {
        let hour = batch.now_ms.div_euclid(MS_PER_HOUR);
        activity::add(c, &batch.user, &batch.emitter, hour, counts)?;
    }
    if batch.usage.invocations > 0 || batch.usage.compute_ms > 0 {
        let day = batch.now_ms.div_euclid(MS_PER_DAY);
        usage::add(c, &batch.user, day, batch.usage)?;
    }
    Ok(())
}

fn router<'a>(c: &mut dyn Conn, batch: &'a Batch) -> Result<Router<'a>, StoreError> {
    Router::load(
        c,
        &batch.user,
        &batch.emitter,
        batch.now_ms,
        batch.max_depth,
    )
}

fn write_event(
    c: &mut dyn Conn,
    batch: &Batch,
    router: &mut Router<'_>,
    event: &EventRow,
    more_events: &mut Vec<StoredEvent>,
) -> Result<(), StoreError> {
    events::insert(c, &batch.emitter, &event.new_event())?;
    if event.audience == Audience::Stream {
        return Ok(());
    }
    let extent = match event.held_until {
        None => router.route(c, &event.outgoing(&batch.emitter), event.depth)?,
        Some(due_at) => {
            let depth = if event.starts_chain(batch.now_ms) {
                0
            } else {
                event.depth
            };
            let held = HeldEvent {
                emitter_id: batch.emitter.clone(),
                id: event.id,
                due_at,
                depth,
            };
            held_events::insert(c, &held)?;
            router.forecast(&event.channel, depth)
        }
    };
    if let (Routed::ToWebhooksOnly, Some(instead)) = (extent, &event.loop_error) {
        let LoopError { event, log } = &**instead;
        write_event(c, batch, router, event, more_events)?;
        if let Some(log) = log {
            write_log(c, router, log)?;
        }
        more_events.push(event.stored());
    }
    Ok(())
}

/// Stores a held event under its new id and routes it; `None` when it was deleted meanwhile.
fn release(
    c: &mut dyn Conn,
    batch: &Batch,
    router: &mut Router<'_>,
    released: &ReleasedEvent,
) -> Result<Option<StoredEvent>, StoreError> {
    let emitter = &batch.emitter;
    let Some(mut event) = events::take(c, emitter, released.held)? else {
        return Ok(None);
    };
    event.id = released.id;
    held_events::remove(c, emitter, released.held)?;
    events::insert(c, emitter, &event.as_new())?;
    let emit_id = EmitId::parse(&event.emit_id)
        .ok_or_else(|| StoreError::Corrupt(format!("the emit id of {}", event.id)))?;
    let outgoing = Outgoing {
        emit_id: &emit_id,
        emitter,
        id: event.id,
        channel: &event.channel,
        data: &event.data,
    };
    router.route(c, &outgoing, released.depth)?;
    Ok(Some(event))
}

fn write_log(c: &mut dyn Conn, router: &mut Router<'_>, row: &LogRow) -> Result<(), StoreError> {
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
    router.log(c, &row, emit_id, *depth)
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
