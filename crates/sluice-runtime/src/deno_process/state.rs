//! The state of a live process.

use std::sync::{Arc, atomic::AtomicU64};

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{folder::InstanceFolder, tenants::Tenants};
use crate::{
    channel::Key, kill_reason::KillReason, lease::Lease, limits::Limits, running::TenantMemory,
    sharing::Membership, tenant_number::TenantNumber, tmp_folder::TmpFolder, unstored::Room,
};

/// A live process, as its tasks and the handles of its tenants share it.
pub(crate) struct DenoProcess {
    /// Tells processes apart.
    pub(super) number: u64,
    /// Of the messages of its harness.
    pub(super) key: Key,
    pub(super) room: Room,
    pub(super) tenants: Mutex<Tenants>,
    pub(super) lines: mpsc::UnboundedSender<String>,
    pub(super) kill: CancellationToken,
    /// Set if the supervisor decided to kill the process.
    pub(super) kill_cause: Mutex<Option<KillCause>>,
    pub(super) limits: Limits,
    pub(super) memory: TenantMemory,
    pub(super) tmp: TmpFolder,
    pub(super) folder: InstanceFolder,
    /// The last text on standard error.
    pub(super) last_errors: Arc<Mutex<String>>,
    /// How often messages were read.
    pub(super) reads: AtomicU64,
    /// Set if others may join.
    pub(super) membership: Option<Membership>,
    pub(super) lease: Lease,
}

/// The reason of a kill, and the tenant that gave it if that is known.
#[derive(Clone)]
pub(super) struct KillCause {
    pub(super) tenant: Option<TenantNumber>,
    pub(super) reason: KillReason,
}

impl DenoProcess {
    /// Records the cause, unless there is one, and kills the process.
    pub(super) fn kill_for(&self, tenant: Option<TenantNumber>, reason: KillReason) {
        let mut cause = self.kill_cause.lock();
        cause.get_or_insert(KillCause { tenant, reason });
        self.kill.cancel();
    }
}
