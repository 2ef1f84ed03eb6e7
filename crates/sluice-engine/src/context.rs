//! What every part of the engine shares.

use std::sync::Arc;

use parking_lot::Mutex;
use sluice_model::{Clock, IdGen, InvocationId, SourceId};
use sluice_runtime::{Call, Invocation, Runtime};
use sluice_store::{Store, Vault, events, logs};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    mailbox::Work, metrics::Metrics, owners::Owners, quotas::Quotas, settings::Settings,
    slots::Slots,
};

const PRUNE_BATCH: u64 = 1_000;

pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) vault: Vault,
    pub(crate) runtime: Runtime,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
    pub(crate) owners: Owners,
    pub(crate) slots: Slots,
    pub(crate) quotas: Quotas,
    /// Cancelled once: no new work is begun, what runs finishes.
    pub(crate) draining: CancellationToken,
    pub(crate) tasks: TaskTracker,
    ids: Mutex<IdGen>,
    due: Mutex<Option<i64>>,
    pub(crate) timers: Notify,
}

pub(crate) struct Parts {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) vault: Vault,
    pub(crate) runtime: Runtime,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Context {
    pub(crate) fn new(parts: Parts) -> Context {
        let Parts {
            settings,
            store,
            vault,
            runtime,
            clock,
        } = parts;
        Context {
            slots: Slots::new(settings.max_processes),
            quotas: Quotas::new(&settings),
            settings,
            store,
            vault,
            runtime,
            clock,
            metrics: Metrics::new(),
            owners: Owners::default(),
            draining: CancellationToken::new(),
            tasks: TaskTracker::new(),
            ids: Mutex::new(IdGen::new(rand::random())),
            due: Mutex::new(None),
            timers: Notify::new(),
        }
    }

    pub(crate) fn new_invocation_id(&self) -> InvocationId {
        InvocationId::generate(&mut self.ids.lock(), self.clock.now_ms())
    }

    pub(crate) fn invocation(&self, work: &Work) -> Invocation {
        Invocation {
            id: work.id,
            call: Call::Run,
            event: Arc::clone(&work.event),
            timeout: self.settings.invocation_timeout,
        }
    }

    /// A timer was armed for `due`: the scheduler must not sleep past it.
    pub(crate) fn timers_changed(&self, due: i64) {
        let mut earliest = self.due.lock();
        if earliest.is_none_or(|known| due < known) {
            *earliest = Some(due);
            self.timers.notify_one();
        }
    }

    /// When the scheduler has to look next; forgotten by being taken.
    pub(crate) fn take_earliest_due(&self) -> Option<i64> {
        self.due.lock().take()
    }

    /// Drops what is beyond retention, beside the source's own work.
    pub(crate) fn prune(self: &Arc<Self>, source: SourceId) {
        let context = Arc::clone(self);
        self.tasks.spawn(async move {
            let (keep_events, keep_logs) = (context.settings.event_retention, context.settings.log_retention);
            loop {
                let source = source.clone();
                let removed = context
                    .store
                    .write(move |c| {
                        Ok(events::prune(c, &source, keep_events, PRUNE_BATCH)?
                            .max(logs::prune(c, &source, keep_logs, PRUNE_BATCH)?))
                    })
                    .await;
                match removed {
                    Ok(PRUNE_BATCH..) if !context.draining.is_cancelled() => {}
                    Ok(_) => return,
                    Err(error) => return tracing::warn!(%error, "old events could not be removed; they go later"),
                }
            }
        });
    }
}
