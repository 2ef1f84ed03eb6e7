//! The right to start one process now. Only its holder may take the permit of a process that runs, and have an idle one
//! stopped for it: a start that is still queued needs neither.

use std::{path::PathBuf, sync::Arc};

use crate::{
    deno_process::{Seat, StartedChild},
    fair_permits::FairPermit,
    lease::Lease,
    pool::{Pool, Pooled},
    sharing::Forming,
};

/// Released on drop. The packages of the process are installed.
#[derive(Default)]
pub struct StartPermit {
    pub(crate) packages: Vec<Option<PathBuf>>,
    pub(crate) slot: StartSlot,
    /// A place in a process that runs already.
    pub(crate) seat: Option<Seat>,
    /// Others can join the process that starts.
    pub(crate) forming: Option<Forming>,
    pub(crate) lease: Option<Lease>,
}

/// The means to start a process.
#[derive(Default)]
pub(crate) enum StartSlot {
    /// Nothing limits the start.
    #[default]
    Unlimited,
    Permit(FairPermit),
    /// A process of the pool, which has started already.
    Pooled(Box<PoolSlot>),
}

impl StartPermit {
    /// The lease of the process that is joined. Without one, a new process is started and needs its own.
    pub fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// The same with the lease of the new process.
    #[must_use]
    pub fn with_lease(self, lease: Lease) -> StartPermit {
        StartPermit {
            lease: Some(lease),
            ..self
        }
    }

    /// A start within these permits, of a process without packages.
    #[cfg(any(test, feature = "scripted"))]
    pub(crate) fn limited(permit: FairPermit) -> StartPermit {
        StartPermit {
            slot: StartSlot::Permit(permit),
            ..StartPermit::default()
        }
    }
}

/// A process taken from the pool. It goes back unless it is used.
pub(crate) struct PoolSlot {
    pool: Arc<Pool>,
    pooled: Option<Pooled>,
}

impl PoolSlot {
    pub(crate) fn new(pool: &Arc<Pool>, pooled: Pooled) -> PoolSlot {
        PoolSlot {
            pool: Arc::clone(pool),
            pooled: Some(pooled),
        }
    }

    /// `None` if it has died meanwhile.
    pub(crate) fn take(mut self) -> Option<StartedChild> {
        self.pooled.take().and_then(Pooled::into_live)
    }
}

impl Drop for PoolSlot {
    fn drop(&mut self) {
        if let Some(pooled) = self.pooled.take() {
            self.pool.put_back(pooled);
        }
    }
}
