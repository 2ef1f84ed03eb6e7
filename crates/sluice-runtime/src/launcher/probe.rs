//! Probes the protections of this machine by applying them to a process that does nothing else.

use landlock::{ABI, LandlockStatus};

use super::{
    confinement::Protections,
    files, mounts, privileges,
    syscalls::{self, Sockets},
};

/// Applies every protection to this process, which is unusable afterwards.
pub fn probe() -> Protections {
    let mounts = mounts::probe();
    let _ = privileges::drop_all();
    let landlock = files::restrict_to_nothing().map(|status| status.landlock);
    let seccomp = syscalls::restrict(Sockets::default(), c"").is_ok();
    let has = |least: ABI| matches!(landlock, Ok(LandlockStatus::Available { effective_abi, .. }) if effective_abi >= least);
    Protections {
        landlock: has(ABI::V1),
        landlock_tcp: has(ABI::V4),
        seccomp,
        mounts,
    }
}
