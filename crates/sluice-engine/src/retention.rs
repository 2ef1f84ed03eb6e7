//! Keeping what a source stores within its retention, beside the source's own work.
//!
//! Counting rows costs more than storing them, so it is done rarely: after as many new rows as there was
//! room for at the last count, and a little more.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sluice_model::SourceId;
use sluice_store::{StoreError, events, logs};

use crate::context::Context;

const BATCH: u64 = 1_000;
/// What may be stored beyond retention before it is worth a look.
const LEAST_SLACK: u64 = 500;

pub(crate) struct Retention {
    /// Rows that may be stored before the next look; the largest number while one is under way.
    until_look: Arc<AtomicU64>,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention {
            until_look: Arc::new(AtomicU64::new(LEAST_SLACK)),
        }
    }
}

impl Retention {
    /// Takes note of new rows of a source.
    pub(crate) fn stored(&self, context: &Arc<Context>, source: &SourceId, rows: u64) {
        let left = self.until_look.load(Ordering::Relaxed);
        if rows < left {
            self.until_look.store(left - rows, Ordering::Relaxed);
            return;
        }
        self.until_look.store(u64::MAX, Ordering::Relaxed);
        let until_look = Arc::clone(&self.until_look);
        let (looker, source) = (Arc::clone(context), source.clone());
        context.tasks.spawn(async move {
            let next = look(&looker, source).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "old events could not be removed; they go later");
                LEAST_SLACK
            });
            until_look.store(next, Ordering::Relaxed);
        });
    }
}

/// Drops what is beyond retention, and says after how many rows to look again.
async fn look(context: &Context, source: SourceId) -> Result<u64, StoreError> {
    let (keep_events, keep_logs) = (
        context.settings.event_retention,
        context.settings.log_retention,
    );
    let counted = source.clone();
    let (events, lines) = context
        .store
        .read(move |c| Ok((events::count_kept(c, &counted)?, logs::count(c, &counted)?)))
        .await?;
    let excess = events
        .saturating_sub(keep_events)
        .max(lines.saturating_sub(keep_logs));
    for _ in 0..excess.div_ceil(BATCH) {
        let source = source.clone();
        let prune = context.store.write(move |c| {
            events::prune(c, &source, keep_events, BATCH)?;
            logs::prune(c, &source, keep_logs, BATCH)
        });
        prune.await?;
        if context.draining.is_cancelled() {
            break;
        }
    }
    Ok(room(keep_events, events).min(room(keep_logs, lines)))
}

fn room(keep: u64, stored: u64) -> u64 {
    let slack = LEAST_SLACK.max(keep / 10);
    keep.saturating_sub(stored).saturating_add(slack)
}
