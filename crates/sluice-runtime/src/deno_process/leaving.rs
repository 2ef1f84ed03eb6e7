//! Tenants that leave a process that goes on for others.
//!
//! Code of a tenant that has left may go on: a loop that waits for timers, or a request. When a source is changed, stopped or
//! deleted, its code must end, so the process retires: none may join it, idle tenants leave and start elsewhere at their next
//! event, and it is killed when the last one has left. When an idle tenant leaves, that can wait for a while.

use std::sync::Arc;

use super::{state::DenoProcess, tenant::Tenant};
use crate::{kill_reason::KillReason, outcome::ProcessEvent, protocol};

const MOVED: &str = "it is started again in another process";

/// The outcome of removing a tenant that is idle.
enum Removal {
    Done,
    /// It was the only one, so its process is killed.
    Killed,
    /// It runs invocations.
    Busy,
    /// It had left before.
    Gone,
}

impl DenoProcess {
    /// Ends a tenant that is idle. Its code may go on until the process ends.
    pub(super) fn leave(&self, tenant: &Tenant) {
        self.remove_idle(tenant);
    }

    /// Ends a tenant and its code.
    pub(super) fn kill_tenant(&self, tenant: &Tenant) {
        match self.remove_idle(tenant) {
            Removal::Done => self.retire(),
            Removal::Busy => self.kill_for(Some(tenant.number), KillReason::Stopped),
            Removal::Gone | Removal::Killed => {}
        }
    }

    fn remove_idle(&self, tenant: &Tenant) -> Removal {
        let mut tenants = self.tenants.lock();
        if tenants.get(tenant.number).is_none() {
            return Removal::Gone;
        }
        if tenants.len() == 1 {
            self.kill.cancel();
            return Removal::Killed;
        }
        let mut inflight = tenant.inflight.lock();
        if !inflight.is_idle() {
            return Removal::Busy;
        }
        inflight.close();
        tenants.remove(tenant.number);
        tenants.left_behind();
        let _ = self.lines.send(protocol::leave_line(tenant.number));
        Removal::Done
    }

    /// None may join, and all tenants leave.
    pub(super) fn retire(&self) {
        let tenants: Vec<Arc<Tenant>> = {
            let mut tenants = self.tenants.lock();
            tenants.retire();
            tenants.all().cloned().collect()
        };
        for tenant in &tenants {
            tenant.tell_to_leave();
        }
        self.let_tenants_leave();
    }

    /// A tenant leaves as soon as it is idle. Its owner starts it elsewhere.
    pub(super) fn move_out(&self, tenant: &Tenant) {
        tenant.tell_to_leave();
        self.let_leave(tenant);
    }

    /// Ends the tenants that have been told to leave and are idle.
    pub(super) fn let_tenants_leave(&self) {
        let leaving: Vec<Arc<Tenant>> = {
            let tenants = self.tenants.lock();
            let leaving = tenants.all().filter(|tenant| tenant.is_leaving());
            leaving.cloned().collect()
        };
        for tenant in &leaving {
            self.let_leave(tenant);
        }
    }

    /// Ends a tenant that has been told to leave and is idle, or keeps it from getting more to do.
    pub(super) fn let_leave(&self, tenant: &Tenant) {
        if !tenant.may_leave() || self.tenants.lock().remove(tenant.number).is_none() {
            return;
        }
        let _ = self.lines.send(protocol::leave_line(tenant.number));
        if self.tenants.lock().are_gone() {
            self.kill.cancel();
        }
        let exited = ProcessEvent::Exited {
            reason: MOVED.to_owned(),
            unfinished: Vec::new(),
            is_at_fault: false,
        };
        let events = tenant.events.clone();
        // Its owner may be slow to take it.
        tokio::spawn(async move { events.send(vec![exited]).await });
    }
}
