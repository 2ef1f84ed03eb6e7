//! Seats: places in a process for tenants that are about to join it.

use std::sync::Arc;

use super::state::DenoProcess;
use crate::{lease::Lease, running::TenantMemory, tenant_number::TenantNumber};

/// A place that is kept for a tenant. Given up on drop.
pub(crate) struct Seat {
    pub(super) process: Arc<DenoProcess>,
    pub(super) number: TenantNumber,
}

impl DenoProcess {
    /// Keeps a place for another tenant.
    pub(crate) fn reserve(self: &Arc<Self>) -> Option<Seat> {
        let is_large = self.memory.is_above(self.limits.memory_bytes / 4);
        if is_large || self.kill.is_cancelled() {
            return None;
        }
        let number = self.tenants.lock().reserve()?;
        Some(Seat {
            process: Arc::clone(self),
            number,
        })
    }
}

impl Seat {
    pub(crate) fn lease(&self) -> Lease {
        Arc::clone(&self.process.lease)
    }

    pub(crate) fn memory(&self) -> TenantMemory {
        self.process.memory.clone()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut tenants = self.process.tenants.lock();
        tenants.release();
        if tenants.are_gone() {
            self.process.kill.cancel();
        }
    }
}
