//! The mounts of a process, in its own namespace: a private `/tmp`.

use std::{io, path::Path};

use rustix::mount::MountFlags;

use super::{confinement::Namespaces, namespaces};

const TMP: &str = "/tmp";

/// Shows `folder` as `/tmp`.
pub(super) fn give_private_tmp(folder: &Path) -> io::Result<()> {
    mount_harmless(folder)?;
    Ok(rustix::mount::mount_bind(folder, TMP)?)
}

/// No file in the folder can be executed, not even by mapping it into memory.
fn mount_harmless(folder: &Path) -> io::Result<()> {
    rustix::mount::mount_bind(folder, folder)?;
    let harmless = MountFlags::BIND | MountFlags::NOEXEC | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount_remount(folder, harmless, c"")?)
}

/// How this machine permits private mounts. The probe enters the namespaces.
pub(super) fn probe() -> Namespaces {
    [Namespaces::Direct, Namespaces::OfUser]
        .into_iter()
        .find(|&way| try_way(way).is_ok())
        .unwrap_or(Namespaces::None)
}

fn try_way(way: Namespaces) -> io::Result<()> {
    namespaces::enter(way, false)?;
    mount_harmless(Path::new(TMP))
}
