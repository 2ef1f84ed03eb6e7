//! What every part of the engine shares.

use std::sync::Arc;

use parking_lot::Mutex;
use sluice_model::{Clock, EmitId, IdGen, InvocationId};
use sluice_runtime::{Call, Invocation, Runtime};
use sluice_store::{Store, Vault};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    accounts::Accounts, components::FirstUses, delivery::Couriers, mailbox::Work, metrics::Metrics,
    owners::Owners, quotas::Quotas, sends::Sends, settings::Settings, slots::Slots,
    standings::RecentStandings, streams::Streams,
};

/// Usage is counted by UTC days.
pub(crate) const MS_PER_DAY: i64 = 86_400_000;
/// Activity is counted by UTC hours.
pub(crate) const MS_PER_HOUR: i64 = 3_600_000;

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
    pub(crate) accounts: Accounts,
    pub(crate) couriers: Couriers,
    pub(crate) sends: Sends,
    pub(crate) first_uses: FirstUses,
    pub(crate) streams: Streams,
    pub(crate) standings: RecentStandings,
    /// Cancelled once: no new work is begun, what runs finishes.
    pub(crate) draining: CancellationToken,
    pub(crate) tasks: TaskTracker,
    ids: Mutex<IdGen>,
    due: Mutex<Option<i64>>,
    pub(crate) timers: Notify,
    /// Epoch milliseconds.
    pub(crate) started_at: i64,
}

pub(crate) struct Parts {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) vault: Vault,
    pub(crate) runtime: Runtime,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) accounts: Accounts,
    pub(crate) couriers: Couriers,
    pub(crate) sends: Sends,
}

impl Context {
    pub(crate) fn new(parts: Parts) -> Context {
        let Parts {
            settings,
            store,
            vault,
            runtime,
            clock,
            accounts,
            couriers,
            sends,
        } = parts;
        Context {
            slots: Slots::new(settings.max_processes),
            quotas: Quotas::new(&settings),
            streams: Streams::new(settings.max_streams),
            accounts,
            settings,
            store,
            vault,
            runtime,
            started_at: clock.now_ms(),
            clock,
            metrics: Metrics::new(),
            owners: Owners::default(),
            couriers,
            sends,
            first_uses: FirstUses::default(),
            standings: RecentStandings::default(),
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

    pub(crate) fn new_emit_id(&self) -> EmitId {
        EmitId::generate(&mut self.ids.lock(), self.clock.now_ms())
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
}
