//! Timer ticks. A tick becomes an inbox row in the transaction that disarms its timer, and the commit of the tick arms the
//! timer again: no tick is lost, and a timer never overlaps itself.

use std::sync::Arc;

use serde_json::json;
use sluice_infra::{Infra, millis};
use sluice_model::{EmitterId, EmitterKind, InvocationId, TimerSpec, UserId};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    sources,
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

/// Fires due timers.
pub(super) async fn fire_due(
    infra: &Infra,
    owners: &Owners,
    due: Vec<DueTimer>,
) -> Result<(), EngineError> {
    if due.is_empty() {
        return Ok(());
    }
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
            for ((owner, work), fired) in ticks.into_iter().zip(fired) {
                if fired {
                    infra.metrics.timer_ticks.inc();
                    owners.enqueue(&owner, work);
                } else {
                    owner.mailbox().unregister(&work.id);
                }
            }
            Ok(())
        }
        Err(error) => {
            for (owner, work) in ticks {
                owners.withdraw(&owner, &work.id);
            }
            Err(error.into())
        }
    }
}

/// Postpones timers of users whose quota is exhausted to the next day; returns the others.
pub(super) async fn postpone_over_quota(
    infra: &Infra,
    quotas: &Quotas,
    streams: &Streams,
    due: Vec<DueTimer>,
) -> Result<Vec<DueTimer>, EngineError> {
    if !quotas.are_set() {
        return Ok(due);
    }
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
                let write = move |c: &mut dyn Conn| postpone(c, &timer, until, quota, now_ms);
                infra.store.write(write).await?;
                streams.logs_written(&emitter);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(within)
}

fn user_of(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Option<UserId>, StoreError> {
    Ok(match emitter.kind() {
        EmitterKind::Source(id) => sources::get_for_run(c, &id)?.map(|source| source.user_id),
        EmitterKind::Workflow(id) => {
            workflows::get_for_run(c, &id)?.map(|workflow| workflow.user_id)
        }
    })
}

fn postpone(
    c: &mut dyn Conn,
    timer: &DueTimer,
    until: i64,
    quota: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    if timers::claim(c, &timer.emitter_id, &timer.prop, timer.due_at)? {
        timers::set_due(c, &timer.emitter_id, &timer.prop, Some(until))?;
        let line = NewLog {
            invocation: None,
            ts: now_ms,
            kind: "system",
            level: "error",
            message: &format!("the timer waits for the next day: {quota} exceeded"),
        };
        logs::insert(c, &timer.emitter_id, &line)?;
    }
    Ok(())
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
    let item = NewInboxItem {
        id: &work.id,
        kind: InboxKind::Timer,
        prop: Some(&timer.prop),
        payload: &work.event,
        accepted_at: timer.due_at,
        depth: 0,
        reply_to: None,
    };
    inbox::insert(c, &timer.emitter_id, &item)?;
    Ok(true)
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
    }
}
