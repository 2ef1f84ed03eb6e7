//! A private `/tmp` for each process, in its own mount namespace.

use std::{fs, io, path::Path};

use nix::sched::CloneFlags;
use rustix::mount::{MountFlags, MountPropagationFlags};

use super::confinement::Mounts;

const TMP: &str = "/tmp";

/// Shows `folder` as `/tmp`.
pub(super) fn give_private_tmp(mounts: Mounts, folder: &Path) -> io::Result<()> {
    leave_namespace(mounts)?;
    mount_harmless(folder)?;
    Ok(rustix::mount::mount_bind(folder, TMP)?)
}

/// No file in the folder can be executed, not even by mapping it into memory.
fn mount_harmless(folder: &Path) -> io::Result<()> {
    rustix::mount::mount_bind(folder, folder)?;
    let harmless = MountFlags::BIND | MountFlags::NOEXEC | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount_remount(folder, harmless, c"")?)
}

/// How this machine permits private mounts. The probe leaves the namespace.
pub(super) fn probe() -> Mounts {
    [Mounts::Direct, Mounts::UserNamespace]
        .into_iter()
        .find(|&way| try_way(way).is_ok())
        .unwrap_or(Mounts::None)
}

fn try_way(way: Mounts) -> io::Result<()> {
    leave_namespace(way)?;
    mount_harmless(Path::new(TMP))
}

fn leave_namespace(way: Mounts) -> io::Result<()> {
    match way {
        Mounts::None => return Err(io::Error::other("no private mounts on this machine")),
        Mounts::Direct => nix::sched::unshare(CloneFlags::CLONE_NEWNS)?,
        Mounts::UserNamespace => {
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            nix::sched::unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
    }
    // Mounts must not propagate to other namespaces.
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(rustix::mount::mount_change("/", private)?)
}
