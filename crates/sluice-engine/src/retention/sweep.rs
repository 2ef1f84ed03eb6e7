//! Removing what has become too old, of all sources and workflows.

use std::{sync::Arc, time::Duration};

use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError, activity as hours,
    pruning::{self, AgeCheck},
};

use super::{
    PORTION, in_portions, later, milliseconds, prune_events_before, prune_logs_up_to, runs,
};
use crate::{activity, context::Context};

const EVERY: Duration = Duration::from_mins(1);
/// Emitters that one read looks at.
const EMITTERS_AT_ONCE: u32 = 1_000;

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
    runs::prune_old(context).await?;
    let now = context.clock.now_ms();
    let first = activity::first_kept_hour(now);
    in_portions(context, move |c| {
        hours::remove_before(c, first, PORTION.rows)
    })
    .await?;
    let default = context.settings.event_max_age.map(milliseconds);
    let mut last = None;
    while let Some(some) = emitters_after(context, last, move |c, after| {
        pruning::with_aging_events(c, now, default, after, EMITTERS_AT_ONCE)
    })
    .await?
    {
        for AgeCheck {
            emitter, before_ms, ..
        } in some.iter().filter(|one| one.too_old)
        {
            prune_events_before(context, emitter, *before_ms).await?;
        }
        last = some.into_iter().next_back().map(|one| one.emitter);
    }
    let Some(age) = context.settings.log_max_age else {
        return Ok(());
    };
    let before = now - milliseconds(age);
    let mut last = None;
    while let Some(some) = emitters_after(context, last, move |c, after| {
        pruning::with_old_logs(c, before, after, EMITTERS_AT_ONCE)
    })
    .await?
    {
        for AgeCheck { emitter, .. } in some.iter().filter(|one| one.too_old) {
            let old = emitter.clone();
            let read = context
                .store
                .read(move |c| pruning::logs_older_than(c, &old, before));
            if let Some(line) = read.await? {
                prune_logs_up_to(context, emitter, line).await?;
            }
        }
        last = some.into_iter().next_back().map(|one| one.emitter);
    }
    Ok(())
}

/// The next emitters of a list; none when it has ended or the server drains.
async fn emitters_after(
    context: &Context,
    last: Option<EmitterId>,
    read: impl FnOnce(&mut dyn Conn, Option<&EmitterId>) -> Result<Vec<AgeCheck>, StoreError>
    + Send
    + 'static,
) -> Result<Option<Vec<AgeCheck>>, StoreError> {
    if context.draining.is_cancelled() {
        return Ok(None);
    }
    let some = context.store.read(move |c| read(c, last.as_ref())).await?;
    Ok(Some(some).filter(|some| !some.is_empty()))
}
