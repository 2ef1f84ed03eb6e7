//! Probes the protections of this machine by applying them to a process that does nothing else.

use landlock::{ABI, LandlockStatus};

use super::{
    confinement::{Landlock, Namespaces, Protections},
    files, mounts, namespaces, privileges,
    syscalls::{self, Sockets},
};
use crate::broker;

/// Applies every protection to this process, which is unusable afterwards. The broker is probed after it.
pub fn probe() -> Protections {
    let namespaces = mounts::probe();
    let network_namespace = namespaces != Namespaces::None && namespaces::has_network();
    let _ = privileges::drop_all();
    let status = files::restrict_to_nothing().map(|status| status.landlock);
    let seccomp = syscalls::restrict(Sockets::default(), c"").is_ok();
    let has = |least: ABI| matches!(status, Ok(LandlockStatus::Available { effective_abi, .. }) if effective_abi >= least);
    let landlock = if has(ABI::V4) {
        Landlock::FilesAndPorts
    } else if has(ABI::V1) {
        Landlock::Files
    } else {
        Landlock::None
    };
    Protections {
        landlock,
        seccomp,
        broker: false,
        namespaces,
        network_namespace,
    }
}

/// Whether the server at the other end of the standard input makes the connections of this process.
pub fn probe_broker() -> bool {
    broker::is_answered()
}
