//! Timer ticks. A tick becomes an inbox row in the transaction that disarms its timer, and the commit of the tick arms the
//! timer again: no tick is lost, and a timer never overlaps itself.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;
use sluice_infra::{Infra, millis};
use sluice_model::{EmitterId, EmitterKind, InvocationId, TimerSpec, UserId};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    sources, state,
    timers::{self, DueTimer},
    workflows,
};

use crate::{
    error::EngineError,
    owner::{Owner, Owners},
    quotas::Quotas,
    streams::Streams,
    work::Work,
};

/// Fires due timers. Returns how many ticks there were.
pub(super) async fn fire_due(
    infra: &Infra,
    owners: &Owners,
    due: Vec<DueTimer>,
) -> Result<usize, EngineError> {
    if due.is_empty() {
        return Ok(0);
    }
    let fired = if infra.cluster.is_alone() {
        fire_here(infra, owners, due).await?
    } else {
        fire_anywhere(infra, owners, due).await?
    };
    infra.metrics.timer_ticks.inc_by(fired as u64);
    Ok(fired)
}

/// Fires timers whose owners are here: they get the ticks through memory.
async fn fire_here(
    infra: &Infra,
    owners: &Owners,
    due: Vec<DueTimer>,
) -> Result<usize, EngineError> {
    let now_ms = infra.now_ms();
    let ticks: Vec<(Owner, Work)> = due
        .iter()
        .map(|timer| {
            let work = work(timer, now_ms, infra.ids.invocation());
            (register(owners, timer, &work), work)
        })
        .collect();
    let rows: Vec<Work> = ticks.iter().map(|(_, work)| work.clone()).collect();
    let write = infra.store.write(move |c| {
        due.iter()
            .zip(&rows)
            .map(|(timer, work)| fire(c, timer, work))
            .collect::<Result<Vec<bool>, StoreError>>()
    });
    match write.await {
        Ok(fired) => {
            let count = fired.iter().filter(|fired| **fired).count();
            for ((owner, work), fired) in ticks.into_iter().zip(fired) {
                if fired {
                    owners.enqueue(&owner, work);
                } else {
                    owner.mailbox().unregister(&work.id);
                }
            }
            Ok(count)
        }
        Err(error) => {
            for (owner, work) in ticks {
                owners.withdraw(&owner, &work.id);
            }
            Err(error.into())
        }
    }
}

/// Fires timers whose owners may be on any node: they find the ticks in the store.
async fn fire_anywhere(
    infra: &Infra,
    owners: &Owners,
    due: Vec<DueTimer>,
) -> Result<usize, EngineError> {
    let emitters: BTreeSet<EmitterId> = due.into_iter().map(|timer| timer.emitter_id).collect();
    let emitters = Vec::from_iter(emitters);
    let (read, ids, now_ms) = (emitters.clone(), infra.ids.clone(), infra.now_ms());
    let write = infra.store.write(move |c| {
        let due = timers::take_due(c, &read, now_ms)?;
        for timer in &due {
            let work = work(timer, now_ms, ids.invocation());
            inbox::insert_all(c, std::iter::once((&timer.emitter_id, row(timer, &work))))?;
        }
        Ok(due)
    });
    match write.await {
        Ok(fired) => {
            for timer in &fired {
                owners.wake(&timer.emitter_id);
            }
            Ok(fired.len())
        }
        Err(error) => {
            // A commit whose reply was lost may have been kept.
            for emitter in &emitters {
                owners.wake(emitter);
            }
            Err(error.into())
        }
    }
}

/// Postpones timers of users whose quota is exhausted to the next day. Returns how many were postponed, and the others.
pub(super) async fn postpone_over_quota(
    infra: &Infra,
    quotas: &Quotas,
    streams: &Streams,
    due: Vec<DueTimer>,
) -> Result<(usize, Vec<DueTimer>), EngineError> {
    if !quotas.are_set() {
        return Ok((0, due));
    }
    let mut postponed = 0;
    let mut within = Vec::with_capacity(due.len());
    for timer in due {
        let id = timer.emitter_id.clone();
        let Some(user) = infra.store.read(move |c| user_of(c, &id)).await? else {
            continue;
        };
        match quotas.check(&user).await {
            Ok(()) => within.push(timer),
            Err(EngineError::QuotaExceeded { quota, retry_after }) => {
                let now_ms = infra.now_ms();
                let until = now_ms.saturating_add(millis(retry_after));
                let emitter = timer.emitter_id.clone();
                let write =
                    move |c: &mut dyn Conn| postpone(c, &timer.emitter_id, until, quota, now_ms);
                postponed += infra.store.write(write).await?;
                streams.logs_written(&emitter);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((postponed, within))
}

fn user_of(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Option<UserId>, StoreError> {
    Ok(match emitter.kind() {
        EmitterKind::Source(id) => sources::get_for_run(c, &id)?.map(|source| source.user_id),
        EmitterKind::Workflow(id) => {
            workflows::get_for_run(c, &id)?.map(|workflow| workflow.user_id)
        }
    })
}

/// The owner of the emitter numbers its log lines in order, so a line of another writer waits for none of its commits and lets
/// none begin. The round after this one tries again.
fn postpone(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    until: i64,
    quota: &str,
    now_ms: i64,
) -> Result<usize, StoreError> {
    if !state::try_lock(c, emitter)? {
        return Ok(0);
    }
    let due = timers::take_due(c, std::slice::from_ref(emitter), now_ms)?;
    for timer in &due {
        timers::set_due(c, emitter, &timer.prop, Some(until))?;
        let line = NewLog {
            invocation: None,
            ts: now_ms,
            kind: "system",
            level: "error",
            message: &format!("the timer waits for the next day: {quota} exceeded"),
        };
        logs::insert(c, emitter, &line)?;
    }
    Ok(due.len())
}

/// Registers a tick with its owner before it is stored.
fn register(owners: &Owners, timer: &DueTimer, work: &Work) -> Owner {
    loop {
        let owner = owners.of(&timer.emitter_id);
        if owner.mailbox().register(work.id, None).is_ok() {
            return owner;
        }
        owners.unregister(&owner);
    }
}

/// False when the timer was disarmed or removed since it was read.
fn fire(c: &mut dyn Conn, timer: &DueTimer, work: &Work) -> Result<bool, StoreError> {
    if !timers::claim(c, &timer.emitter_id, &timer.prop, timer.due_at)? {
        return Ok(false);
    }
    inbox::insert(c, &timer.emitter_id, &row(timer, work))?;
    Ok(true)
}

fn row<'a>(timer: &'a DueTimer, work: &'a Work) -> NewInboxItem<'a> {
    NewInboxItem {
        id: &work.id,
        kind: InboxKind::Timer,
        prop: Some(&timer.prop),
        payload: &work.event,
        accepted_at: timer.due_at,
        depth: 0,
        reply_to: None,
        trace: None,
    }
}

fn work(timer: &DueTimer, now_ms: i64, id: InvocationId) -> Work {
    let event = match &timer.spec {
        TimerSpec::Interval { seconds } => {
            json!({ "timestamp": now_ms / 1000, "interval_seconds": seconds })
        }
        TimerSpec::Cron {
            expression,
            timezone,
        } => {
            let mut event =
                json!({ "timestamp": now_ms / 1000, "interval_seconds": null, "cron": expression });
            if let (Some(fields), Some(zone)) = (event.as_object_mut(), timezone) {
                fields.insert("timezone".to_owned(), json!(zone));
            }
            event
        }
    };
    Work {
        id,
        kind: InboxKind::Timer,
        prop: Some(Arc::from(timer.prop.as_str())),
        event: Arc::from(event.to_string()),
        attempts: 0,
        accepted_at: timer.due_at,
        depth: 0,
        dispatched_at: None,
        trace: None,
    }
}
