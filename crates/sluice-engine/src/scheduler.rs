//! Timers: rows with a due time. A tick becomes an inbox row in the transaction that disarms its timer,
//! and the timer is armed again by the commit of that tick; so none is lost and none overlaps itself.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::json;
use sluice_model::{EmitterId, EmitterKind, InvocationId, TimerSpec, UserId};
use sluice_store::{
    Conn, StoreError,
    held_events::{self, HeldEvent},
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    runs, sources,
    timers::{self, DueTimer},
    workflows,
};

use crate::{context::Context, error::EngineError, mailbox::Work, owners::Owner, workflow};

const MOST_AT_ONCE: u32 = 500;
const LONGEST_SLEEP: Duration = Duration::from_mins(1);
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Ticks until the server drains.
pub(crate) async fn run(context: Arc<Context>) {
    while !context.infra.shutdown.is_draining() {
        // Interest is registered before looking, so that a timer armed meanwhile is not slept over.
        let changed = context.timers.notified();
        let sleep = match tick(&context).await {
            Ok(Some(due)) => until(due, context.infra.clock.now_ms()),
            Ok(None) => LONGEST_SLEEP,
            Err(error) => {
                tracing::warn!(%error, "timers could not be read; trying again");
                AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(sleep) => {}
            () = changed => {}
            () = context.infra.shutdown.draining() => {}
        }
    }
}

fn until(due: i64, now: i64) -> Duration {
    Duration::from_millis(u64::try_from(due - now).unwrap_or(0)).min(LONGEST_SLEEP)
}

/// Fires what is due and says when the next look is needed.
async fn tick(context: &Arc<Context>) -> Result<Option<i64>, EngineError> {
    let armed = context.take_earliest_due();
    let now = context.infra.clock.now_ms();
    let (due, held, waiting, next) = context
        .infra
        .store
        .read(move |c| {
            let next = [
                timers::next_due(c)?,
                held_events::next_due(c)?,
                runs::next_due(c)?,
            ];
            let held = held_events::due(c, now, MOST_AT_ONCE)?;
            let waiting = runs::due(c, now, MOST_AT_ONCE)?;
            Ok((timers::due(c, now, MOST_AT_ONCE)?, held, waiting, next))
        })
        .await?;
    if due.is_empty() && held.is_empty() && waiting.is_empty() {
        return Ok([armed].into_iter().chain(next).flatten().min());
    }
    release(context, held).await?;
    workflow::wake_due(context, waiting, now).await?;
    let due = postpone_beyond_quota(context, due, now).await?;
    let ticks: Vec<Work> = due
        .iter()
        .map(|timer| work(timer, now, context.infra.ids.invocation()))
        .collect();
    let owners: Vec<_> = due
        .iter()
        .zip(&ticks)
        .map(|(timer, work)| expect(context, timer, work))
        .collect();
    let rows = ticks.clone();
    let stored = context.infra.store.write(move |c| {
        due.iter()
            .zip(&rows)
            .map(|(timer, work)| fire(c, timer, work))
            .collect::<Result<Vec<_>, StoreError>>()
    });
    match stored.await {
        Ok(fired) => {
            for ((owner, work), fired) in owners.into_iter().zip(ticks).zip(fired) {
                if fired {
                    context.infra.metrics.timer_ticks.inc();
                    owner.mailbox().deliver(work);
                } else {
                    owner.mailbox().forget(&work.id);
                }
            }
            Ok(Some(now))
        }
        Err(error) => {
            for (owner, work) in owners.into_iter().zip(ticks) {
                owner.mailbox().forget(&work.id);
                // A commit that failed on its way back may have been kept all the same.
                context.owners.wake(context, owner.id());
            }
            Err(error.into())
        }
    }
}

/// Held events whose time has come become work of their sources, which give them their place among the others.
async fn release(context: &Arc<Context>, held: Vec<HeldEvent>) -> Result<(), EngineError> {
    let ids: Vec<InvocationId> = held
        .iter()
        .map(|_| context.infra.ids.invocation())
        .collect();
    let emitters: BTreeSet<EmitterId> = held.iter().map(|one| one.emitter_id.clone()).collect();
    let stored = context.infra.store.write(move |c| {
        for (one, id) in held.iter().zip(&ids) {
            if !held_events::claim(c, &one.emitter_id, one.id)? {
                continue;
            }
            let item = NewInboxItem {
                id,
                kind: InboxKind::Held,
                prop: None,
                payload: &json!(one.id).to_string(),
                accepted_at: one.due_at,
                depth: one.depth,
            };
            inbox::insert(c, &one.emitter_id, &item)?;
        }
        Ok(())
    });
    let stored = stored.await;
    // Also when it failed: it may have been kept all the same.
    for emitter in &emitters {
        context.owners.wake(context, emitter);
    }
    Ok(stored?)
}

/// Timers of users who have used up their day wait for the next; the others are given back.
async fn postpone_beyond_quota(
    context: &Arc<Context>,
    due: Vec<DueTimer>,
    now: i64,
) -> Result<Vec<DueTimer>, EngineError> {
    if !context.quotas.are_set() {
        return Ok(due);
    }
    let mut within = Vec::with_capacity(due.len());
    for timer in due {
        let id = timer.emitter_id.clone();
        let user = context.infra.store.read(move |c| user_of(c, &id)).await?;
        let Some(user) = user else { continue };
        match context.quotas.check(&context.infra.store, &user, now).await {
            Ok(()) => within.push(timer),
            Err(EngineError::QuotaExceeded { what, retry_after }) => {
                let wait = i64::try_from(retry_after.as_millis()).unwrap_or(i64::MAX);
                let until = now.saturating_add(wait);
                let emitter = timer.emitter_id.clone();
                context
                    .infra
                    .store
                    .write(move |c| postpone(c, &timer, until, what, now))
                    .await?;
                context.streams.lines_written(&emitter);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(within)
}

/// Whose source or workflow it is.
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
    what: &str,
    now: i64,
) -> Result<(), StoreError> {
    if timers::claim(c, &timer.emitter_id, &timer.prop, timer.due_at)? {
        timers::set_due(c, &timer.emitter_id, &timer.prop, Some(until))?;
        let line = NewLog {
            invocation: None,
            ts: now,
            kind: "system",
            level: "error",
            message: &format!("the timer waits for the next day: {what} exceeded"),
        };
        logs::insert(c, &timer.emitter_id, &line)?;
    }
    Ok(())
}

fn expect(context: &Arc<Context>, timer: &DueTimer, work: &Work) -> Owner {
    loop {
        let owner = context.owners.of(context, &timer.emitter_id);
        if owner.mailbox().expect(work.id, None).is_ok() {
            return owner;
        }
        context.owners.release(&owner);
    }
}

/// False when the timer is no longer due: it was disarmed or removed since it was read.
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
    }
}
