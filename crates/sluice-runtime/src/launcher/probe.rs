//! Which walls this machine can put up, found out by putting them up around a process that does nothing else.

use landlock::{ABI, LandlockStatus};

use super::{
    Walls, files, mounts, privileges,
    syscalls::{self, Sockets},
};

/// Tries every wall on this process, which is of no more use after it.
pub fn probe() -> Walls {
    let mounts = mounts::probe();
    let _ = privileges::drop_all();
    let landlock = files::restrict_to_nothing().map(|status| status.landlock);
    let seccomp = syscalls::restrict(Sockets::default(), c"").is_ok();
    let has = |least: ABI| matches!(landlock, Ok(LandlockStatus::Available { effective_abi, .. }) if effective_abi >= least);
    Walls {
        landlock: has(ABI::V1),
        landlock_tcp: has(ABI::V4),
        seccomp,
        mounts,
    }
}
