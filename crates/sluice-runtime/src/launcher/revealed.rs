//! Files of the server that a process of another user may reach, at their own paths.
//!
//! A folder around them that is closed to others is covered by an empty one, in which only they are.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    os::{fd::AsRawFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags},
    mount::MountFlags,
};

/// Lets others reach these files and folders, in the mount namespace of this process.
pub(super) fn reveal(paths: &[PathBuf]) -> io::Result<()> {
    let mut covers: BTreeMap<&Path, Vec<(&Path, OwnedFd)>> = BTreeMap::new();
    for path in paths {
        if let Some(closed) = closed_around(path)? {
            let handle = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
            covers.entry(closed).or_default().push((path, handle));
        }
    }
    for (closed, inside) in covers {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        rustix::mount::mount("tmpfs", closed, "tmpfs", flags, c"mode=0755,size=1m")?;
        for (path, handle) in inside {
            make_place(path, &handle)?;
            let source = format!("/proc/self/fd/{}", handle.as_raw_fd());
            rustix::mount::mount_bind(source, path)?;
        }
    }
    Ok(())
}

/// The outermost folder around a path that others may not pass.
fn closed_around(path: &Path) -> io::Result<Option<&Path>> {
    let mut around: Vec<&Path> = path.ancestors().skip(1).collect();
    around.reverse();
    for folder in around {
        if fs::metadata(folder)?.permissions().mode() & 0o001 == 0 {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

/// An empty folder or file for a mount.
fn make_place(path: &Path, handle: &OwnedFd) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(handle)?.st_mode);
    if kind == rustix::fs::FileType::Directory {
        fs::create_dir_all(path)
    } else {
        File::create(path).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_closed_folder_is_found() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("open/closed/deep");
        fs::create_dir_all(&folder).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode));
        set(top.path(), 0o755).unwrap();
        let found = |path: &Path| closed_around(path).unwrap().map(Path::to_owned);
        assert_eq!(found(&folder), None);
        let closed = top.path().join("open/closed");
        set(&closed, 0o700).unwrap();
        assert_eq!(found(&folder.join("file")), Some(closed.clone()));
        set(top.path(), 0o710).unwrap();
        assert_eq!(found(&folder), Some(top.path().to_owned()));
    }
}
