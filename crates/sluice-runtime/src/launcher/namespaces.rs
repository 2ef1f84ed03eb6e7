//! Namespaces of a process: its own mounts, and a network that leads nowhere.

use std::{fs, io};

use nix::sched::CloneFlags;
use rustix::mount::MountPropagationFlags;

use super::confinement::Namespaces;

/// Enters new namespaces. `network` is whether the network is one of them.
pub(super) fn enter(way: Namespaces, network: bool) -> io::Result<()> {
    let mut flags = CloneFlags::CLONE_NEWNS;
    flags.set(CloneFlags::CLONE_NEWNET, network);
    match way {
        Namespaces::None => return Err(io::Error::other("no namespaces on this machine")),
        Namespaces::Direct => nix::sched::unshare(flags)?,
        Namespaces::OfUser => {
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            nix::sched::unshare(flags | CloneFlags::CLONE_NEWUSER)?;
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
    }
    // Mounts must not propagate to other namespaces.
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(rustix::mount::mount_change("/", private)?)
}

/// Whether this process can have a network namespace. It must be in its other namespaces already.
pub(super) fn has_network() -> bool {
    nix::sched::unshare(CloneFlags::CLONE_NEWNET).is_ok()
}
