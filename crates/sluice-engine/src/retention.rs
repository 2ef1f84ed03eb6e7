//! Keeping what sources store within their retention, beside the sources' own work.
//!
//! By count: counting rows costs more than storing them, so it is done rarely, after as many new rows as there was
//! room for at the last count, and a little more. By age: a look at every source's oldest rows now and then.

mod lookout;
mod runs;
mod sweep;

use std::{sync::Arc, time::Duration};

use sluice_model::{EmitterId, EventId};
use sluice_store::{BatchLimit, Conn, StoreError, events, logs, pruning, sources::Source};
use tokio::time::Instant;

use self::lookout::Lookout;
pub(crate) use self::sweep::sweep;
use crate::{context::Context, settings::Settings};

/// What one write removes: little enough that other writes do not notice.
const PORTION: BatchLimit = BatchLimit {
    rows: 500,
    bytes: 4 * 1024 * 1024,
};
/// Between two such writes others have the store for at least this long, and for as long as the last one took.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// Watches how much one emitter stores.
#[derive(Default)]
pub(crate) struct Retention {
    events: Arc<Lookout>,
    logs: Arc<Lookout>,
    runs: Arc<Lookout>,
}

/// Rows that were stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) events: u64,
    pub(crate) logs: u64,
}

impl Retention {
    /// Takes note of new rows; of the events the newest `keep` stay.
    pub(crate) fn stored(
        &self,
        context: &Arc<Context>,
        emitter: &EmitterId,
        keep: u64,
        rows: Stored,
    ) {
        if self.events.is_due(keep, rows.events) {
            let (looker, lookout) = (Arc::clone(context), Arc::clone(&self.events));
            let id = emitter.clone();
            context.tasks.spawn(async move {
                while lookout.looked(keep, prune_events(&looker, &id, keep).await) {}
            });
        }
        let keep = context.settings.log_retention;
        if self.logs.is_due(keep, rows.logs) {
            let (looker, lookout) = (Arc::clone(context), Arc::clone(&self.logs));
            let id = emitter.clone();
            context.tasks.spawn(async move {
                while lookout.looked(keep, prune_logs(&looker, &id, keep).await) {}
            });
        }
    }
}

/// Brings a source's events within a retention that has changed.
pub(crate) fn changed(context: &Arc<Context>, source: &Source) {
    let (context, source) = (Arc::clone(context), source.clone());
    let tasks = context.tasks.clone();
    tasks.spawn(async move {
        if let Err(error) = prune(&context, &source).await {
            later(&error);
        }
    });
}

async fn prune(context: &Context, source: &Source) -> Result<(), StoreError> {
    prune_events(context, &source.id, most_events(&context.settings, source)).await?;
    match oldest_event_ms(context, source) {
        Some(before_ms) => prune_events_before(context, &source.id, before_ms).await,
        None => Ok(()),
    }
}

/// How many events of a source stay.
pub(crate) fn most_events(settings: &Settings, source: &Source) -> u64 {
    let own = source.retention.max_events;
    own.map_or(settings.event_retention, u64::from)
}

fn oldest_event_ms(context: &Context, source: &Source) -> Option<i64> {
    let own = source.retention.max_age_seconds;
    let age_ms = match own {
        Some(seconds) => i64::from(seconds) * 1_000,
        None => milliseconds(context.settings.event_max_age?),
    };
    Some(context.clock.now_ms() - age_ms)
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Drops events beyond the newest `keep`, and answers how many there were.
async fn prune_events(
    context: &Context,
    emitter: &EmitterId,
    keep: u64,
) -> Result<u64, StoreError> {
    let counted = emitter.clone();
    let read = context.store.read(move |c| {
        let count = events::count_kept(c, &counted)?;
        let beyond = if count > keep {
            pruning::events_beyond(c, &counted, keep)?
        } else {
            None
        };
        Ok((count, beyond))
    });
    let (count, beyond) = read.await?;
    if let Some(last) = beyond {
        prune_events_up_to(context, emitter, last).await?;
    }
    Ok(count)
}

/// Drops log lines beyond the newest `keep`, and answers how many there were.
async fn prune_logs(context: &Context, emitter: &EmitterId, keep: u64) -> Result<u64, StoreError> {
    let counted = emitter.clone();
    let read = context.store.read(move |c| {
        let count = logs::count(c, &counted)?;
        let beyond = if count > keep {
            logs::seq_behind(c, &counted, keep)?
        } else {
            None
        };
        Ok((count, beyond))
    });
    let (count, beyond) = read.await?;
    if let Some(last) = beyond {
        prune_logs_up_to(context, emitter, last).await?;
    }
    Ok(count)
}

async fn prune_events_before(
    context: &Context,
    emitter: &EmitterId,
    before_ms: i64,
) -> Result<(), StoreError> {
    let last = EventId {
        ms: before_ms - 1,
        seq: i64::MAX,
    };
    prune_events_up_to(context, emitter, last).await
}

async fn prune_events_up_to(
    context: &Context,
    emitter: &EmitterId,
    last: EventId,
) -> Result<(), StoreError> {
    let emitter = emitter.clone();
    in_portions(context, move |c| {
        pruning::events(c, &emitter, last, PORTION)
    })
    .await
}

async fn prune_logs_up_to(
    context: &Context,
    emitter: &EmitterId,
    last: i64,
) -> Result<(), StoreError> {
    let emitter = emitter.clone();
    in_portions(context, move |c| pruning::logs(c, &emitter, last, PORTION)).await
}

/// Writes until there is nothing more to remove, with pauses for other writes.
async fn in_portions(
    context: &Context,
    prune: impl Fn(&mut dyn Conn) -> Result<u64, StoreError> + Clone + Send + 'static,
) -> Result<(), StoreError> {
    while !context.draining.is_cancelled() {
        let began = Instant::now();
        if context.store.write(prune.clone()).await? == 0 {
            break;
        }
        tokio::time::sleep(began.elapsed().max(LEAST_PAUSE)).await;
    }
    Ok(())
}

fn later(error: &StoreError) {
    tracing::warn!(%error, "old events and log lines could not be removed; they go later");
}
