//! Removing what has become too old, of all sources.

use std::{sync::Arc, time::Duration};

use sluice_model::SourceId;
use sluice_store::{
    Conn, StoreError,
    pruning::{self, Aged},
};

use super::{later, milliseconds, prune_events_before, prune_logs_up_to};
use crate::context::Context;

const EVERY: Duration = Duration::from_mins(1);
/// Sources that one read looks at.
const SOURCES_AT_ONCE: u32 = 1_000;

/// Sweeps until the server drains.
pub(crate) async fn sweep(context: Arc<Context>) {
    while !context.draining.is_cancelled() {
        if let Err(error) = sweep_once(&context).await {
            later(&error);
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = context.draining.cancelled() => {}
        }
    }
}

async fn sweep_once(context: &Context) -> Result<(), StoreError> {
    let now = context.clock.now_ms();
    let default = context.settings.event_max_age.map(milliseconds);
    let mut last = None;
    while let Some(some) = sources_after(context, last, move |c, after| {
        pruning::with_aging_events(c, now, default, after, SOURCES_AT_ONCE)
    })
    .await?
    {
        for Aged {
            source, before_ms, ..
        } in some.iter().filter(|one| one.too_old)
        {
            prune_events_before(context, source, *before_ms).await?;
        }
        last = some.into_iter().next_back().map(|one| one.source);
    }
    let Some(age) = context.settings.log_max_age else {
        return Ok(());
    };
    let before = now - milliseconds(age);
    let mut last = None;
    while let Some(some) = sources_after(context, last, move |c, after| {
        pruning::with_old_logs(c, before, after, SOURCES_AT_ONCE)
    })
    .await?
    {
        for Aged { source, .. } in some.iter().filter(|one| one.too_old) {
            let old = source.clone();
            let read = context
                .store
                .read(move |c| pruning::logs_older_than(c, &old, before));
            if let Some(line) = read.await? {
                prune_logs_up_to(context, source, line).await?;
            }
        }
        last = some.into_iter().next_back().map(|one| one.source);
    }
    Ok(())
}

/// The next sources of a list; none when it has ended or the server drains.
async fn sources_after(
    context: &Context,
    last: Option<SourceId>,
    read: impl FnOnce(&mut dyn Conn, Option<&SourceId>) -> Result<Vec<Aged>, StoreError>
    + Send
    + 'static,
) -> Result<Option<Vec<Aged>>, StoreError> {
    if context.draining.is_cancelled() {
        return Ok(None);
    }
    let some = context.store.read(move |c| read(c, last.as_ref())).await?;
    Ok(Some(some).filter(|some| !some.is_empty()))
}
