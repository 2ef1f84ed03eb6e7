//! Idle owners: others can have their permits, and their processes are kept while a tick is due soon.

use std::collections::BTreeMap;

use sluice_model::TimerSpec;
use tokio::time::Instant;

use super::actor::{Actor, Core};

impl<A: Actor> Core<A> {
    /// Lists the owner as idle when all its processes are, so that others can have its permits. `timers` are its active ones.
    pub(super) fn update_idleness(&mut self, timers: &BTreeMap<String, TimerSpec>) {
        let idle = self.hosts.are_idle();
        match (idle, self.is_listed_idle) {
            (true, false) => {
                self.next_tick.update(timers, self.services.infra.now_ms());
                let owner = Box::new(self.owner.clone());
                let (id, user) = (self.owner.id(), &self.user);
                let due = self.next_tick.due();
                let place = self.hosts.place();
                self.services.permits.idle(id, user, due, place, owner);
            }
            (false, true) => self.services.permits.busy(self.owner.id()),
            _ => {}
        }
        self.is_listed_idle = idle;
    }

    /// The timers have changed: an idle owner is listed anew.
    pub(super) fn relist(&mut self) {
        if std::mem::take(&mut self.is_listed_idle) {
            self.services.permits.busy(self.owner.id());
        }
    }

    /// Idle processes are kept until then for the next tick.
    pub(super) fn keep_until(&self) -> Option<Instant> {
        let infra = &self.services.infra;
        let idle_timeout = infra.settings.idle_timeout;
        let time = self.next_tick.keep_for(idle_timeout, infra.now_ms())?;
        Some(Instant::now() + time)
    }
}
