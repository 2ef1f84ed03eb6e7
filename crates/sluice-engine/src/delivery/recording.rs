//! Writing down what came of deliveries, however long the store is unavailable: what was sent must not be sent again for
//! want of space.

use std::{sync::Arc, time::Duration};

use sluice_model::{UserId, WebhookId};
use sluice_store::{
    Conn,
    deliveries::{self, AttemptOutcome, AttemptRecord},
    webhooks,
};

use super::{journal::Note, pruning};
use crate::{context::Context, streams::WebhookTraffic};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Tries of one webhook that are recorded together.
pub(super) struct Group {
    pub(super) user: UserId,
    pub(super) webhook: WebhookId,
    pub(super) tried: Vec<AttemptRecord>,
    pub(super) notes: Vec<Note>,
    /// Whether the webhook is to be switched off.
    pub(super) gone: bool,
}

/// Whether they are recorded: otherwise the store refuses them, or the server stops.
pub(super) async fn record(context: &Arc<Context>, group: Group) -> bool {
    let Group {
        user,
        webhook,
        tried,
        notes,
        gone,
    } = group;
    let tried = Arc::new(tried);
    let mut pause = FIRST_PAUSE;
    loop {
        let (rows, id) = (Arc::clone(&tried), webhook.clone());
        let now = context.clock.now_ms();
        let write = move |c: &mut dyn Conn| {
            // The webhook before its deliveries, as those do who remove both.
            if let Some(at) = last_success(&rows) {
                webhooks::delivered(c, &id, at)?;
            }
            rows.iter()
                .try_for_each(|tried| deliveries::record(c, tried, now))?;
            if gone {
                webhooks::deactivate(c, &id, now)?;
            }
            Ok(())
        };
        match context.store.write(write).await {
            Ok(()) => break,
            Err(error) if error.is_retryable() && !context.draining.is_cancelled() => {
                tracing::warn!(%error, %webhook, "deliveries could not be recorded; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            // The journal has the successes for the next start.
            Err(error) => {
                tracing::error!(%error, %webhook, "deliveries could not be recorded");
                return false;
            }
        }
    }
    context.couriers.journal.recorded(notes);
    let delivered = successes(&tried).count();
    let traffic = WebhookTraffic {
        delivered: delivered as u64,
        failed: (tried.len() - delivered) as u64,
    };
    context.streams.traffic.attempted(&user, &webhook, traffic);
    pruning::recorded(context, &webhook, tried.len());
    true
}

fn successes(tried: &[AttemptRecord]) -> impl Iterator<Item = &AttemptRecord> {
    tried
        .iter()
        .filter(|tried| tried.outcome == AttemptOutcome::Delivered)
}

fn last_success(tried: &[AttemptRecord]) -> Option<i64> {
    successes(tried)
        .filter_map(|tried| tried.attempts.last())
        .map(|attempt| attempt.at)
        .max()
}
