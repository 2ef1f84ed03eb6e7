//! Writes files into a folder that component code changes at the same time.
//!
//! Each level is opened by its handle and never through a symbolic link, so the file lands in the folder or nowhere. A file
//! is always a new one, because an existing one may be a pipe that blocks, or a hard link to a file elsewhere.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write},
    path::{Component, Path},
};

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{AtFlags, Mode, OFlags, ResolveFlags},
    io::Errno,
};

use crate::component_users::SystemUser;

/// A component that creates the file again each time it is removed does not keep the server busy.
const MAX_TRIES: usize = 3;

/// Writes a file at `path` in `folder`, and makes the folders above it. They belong to `user`, if that is given.
pub(crate) fn write_file(
    folder: impl AsFd,
    path: &Path,
    content: &[u8],
    user: Option<SystemUser>,
) -> io::Result<()> {
    let mut names = names(path)?;
    let Some(file) = names.pop() else {
        return Err(leaves(path));
    };
    let mut parent = folder.as_fd().try_clone_to_owned()?;
    for name in names {
        parent = make_folder(parent.as_fd(), name, user)?;
    }
    let file = new_file(parent.as_fd(), file)?;
    if let Some(user) = user {
        user.own_open(&file)?;
    }
    File::from(file).write_all(content)
}

/// The parts of a path that stays below its folder.
fn names(path: &Path) -> io::Result<Vec<&OsStr>> {
    let parts = path.components();
    parts
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(leaves(path)),
        })
        .collect()
}

fn leaves(path: &Path) -> io::Error {
    io::Error::other(format!("{} leaves the folder", path.display()))
}

fn make_folder(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    user: Option<SystemUser>,
) -> io::Result<OwnedFd> {
    match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let folder = match open(parent, name, flags, Mode::empty()) {
        Err(Errno::LOOP | Errno::NOTDIR) => return Err(replaced(name)),
        opened => opened?,
    };
    if let Some(user) = user {
        user.own_open(&folder)?;
    }
    Ok(folder)
}

fn new_file(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    for _ in 0..MAX_TRIES {
        match open(parent, name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR | Errno::PERM) => return Err(replaced(name)),
                Err(error) => return Err(error.into()),
            },
            opened => return Ok(opened?),
        }
    }
    Err(replaced(name))
}

fn replaced(name: &OsStr) -> io::Error {
    let name = name.to_string_lossy();
    io::Error::other(format!(
        "the component put something else in place of {name}"
    ))
}

/// Opens the entry `name`, which is one level below. Older kernels and some containers have no `openat2`.
fn open(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat2(parent, name, flags, mode, beneath) {
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(parent, name, flags, mode),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::PathBuf};

    use tempfile::TempDir;

    use super::*;
    use crate::trees::open::open_path;

    /// The folder of a component, and a folder outside.
    struct Place {
        _top: TempDir,
        own: PathBuf,
        outside: PathBuf,
        handle: OwnedFd,
    }

    impl Place {
        fn new() -> Place {
            let top = tempfile::tempdir().unwrap();
            let (own, outside) = (top.path().join("own"), top.path().join("outside"));
            fs::create_dir(&own).unwrap();
            fs::create_dir(&outside).unwrap();
            fs::write(outside.join("kept"), "kept").unwrap();
            Place {
                handle: open_path(&own).unwrap(),
                _top: top,
                own,
                outside,
            }
        }

        fn write(&self, path: &str) -> io::Result<()> {
            write_file(&self.handle, Path::new(path), b"new", None)
        }

        fn is_untouched_outside(&self) {
            assert_eq!(fs::read_dir(&self.outside).unwrap().count(), 1);
            assert_eq!(fs::read(self.outside.join("kept")).unwrap(), b"kept");
        }
    }

    #[test]
    fn files_are_written_and_written_again() {
        let place = Place::new();
        for _ in 0..2 {
            place.write("a/b/file").unwrap();
            place.write("top").unwrap();
        }
        assert_eq!(fs::read(place.own.join("a/b/file")).unwrap(), b"new");
        assert_eq!(fs::read(place.own.join("top")).unwrap(), b"new");
    }

    #[test]
    fn a_link_in_place_of_a_folder_is_an_error() {
        let place = Place::new();
        fs::create_dir(place.own.join("a")).unwrap();
        symlink(&place.outside, place.own.join("link")).unwrap();
        symlink(&place.outside, place.own.join("a/link")).unwrap();
        symlink("../outside", place.own.join("up")).unwrap();
        symlink("/proc/self/cwd", place.own.join("magic")).unwrap();
        for path in [
            "link/kept",
            "link/deep/new",
            "a/link/new",
            "up/new",
            "magic/new",
        ] {
            let error = place.write(path).unwrap_err().to_string();
            assert!(error.contains("put something else in place"), "{error}");
        }
        place.is_untouched_outside();
    }

    #[test]
    fn a_link_in_place_of_a_file_is_replaced_by_the_file() {
        let place = Place::new();
        symlink(place.outside.join("kept"), place.own.join("link")).unwrap();
        symlink(place.outside.join("missing"), place.own.join("dangling")).unwrap();
        fs::hard_link(place.outside.join("kept"), place.own.join("hard")).unwrap();
        let pipe = place.own.join("pipe");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for name in ["link", "dangling", "hard", "pipe"] {
            place.write(name).unwrap();
            assert_eq!(fs::read(place.own.join(name)).unwrap(), b"new", "{name}");
        }
        place.is_untouched_outside();
    }

    #[test]
    fn a_folder_in_place_of_a_file_is_an_error() {
        let place = Place::new();
        fs::create_dir(place.own.join("file")).unwrap();
        assert!(place.write("file").is_err());
    }

    #[test]
    fn a_handle_stays_with_its_folder() {
        let place = Place::new();
        let moved = place.own.with_file_name("moved");
        fs::rename(&place.own, &moved).unwrap();
        symlink(&place.outside, &place.own).unwrap();
        place.write("a/file").unwrap();
        assert_eq!(fs::read(moved.join("a/file")).unwrap(), b"new");
        place.is_untouched_outside();
    }

    #[test]
    fn a_path_that_leaves_the_folder_is_an_error() {
        let place = Place::new();
        for path in [
            "../outside/new",
            "a/../../outside/new",
            "/tmp/new",
            "",
            "./..",
        ] {
            assert!(place.write(path).is_err(), "{path}");
        }
        place.is_untouched_outside();
    }
}
