//! The parts of the engine.

use std::sync::Arc;

use parking_lot::Mutex;
use sluice_infra::Infra;
use sluice_outbox::Outbox;
use sluice_runtime::{Call, Invocation, Runtime};
use tokio::sync::Notify;

use crate::{
    accounts::Accounts, components::FirstUses, mailbox::Work, owners::Owners, quotas::Quotas,
    slots::Slots, standings::RecentStandings, streams::Streams,
};

pub(crate) struct Context {
    pub(crate) infra: Infra,
    pub(crate) runtime: Runtime,
    pub(crate) owners: Owners,
    pub(crate) slots: Slots,
    pub(crate) quotas: Quotas,
    pub(crate) accounts: Accounts,
    pub(crate) outbox: Outbox,
    pub(crate) first_uses: FirstUses,
    pub(crate) streams: Arc<Streams>,
    pub(crate) standings: RecentStandings,
    due: Mutex<Option<i64>>,
    pub(crate) timers: Notify,
    /// Epoch milliseconds.
    pub(crate) started_at: i64,
}

impl Context {
    pub(crate) fn new(
        infra: Infra,
        runtime: Runtime,
        accounts: Accounts,
        outbox: Outbox,
        streams: Arc<Streams>,
    ) -> Context {
        Context {
            slots: Slots::new(infra.settings.max_processes),
            quotas: Quotas::new(&infra.settings),
            streams,
            accounts,
            runtime,
            started_at: infra.now_ms(),
            owners: Owners::default(),
            outbox,
            first_uses: FirstUses::default(),
            standings: RecentStandings::default(),
            due: Mutex::new(None),
            timers: Notify::new(),
            infra,
        }
    }

    pub(crate) fn invocation(&self, work: &Work) -> Invocation {
        Invocation {
            id: work.id,
            call: Call::Run,
            event: Arc::clone(&work.event),
            timeout: self.infra.settings.invocation_timeout,
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
