//! Measures what is in a folder while a component writes to it.

use std::{io, path::Path};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, Dir, FileType, Stat},
};

use super::open::{next_entry, open_folder, open_path};

/// The files and folders in a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Measured {
    /// As used on the disk.
    pub(crate) bytes: u64,
    pub(crate) files: u64,
    pub(crate) depth: usize,
}

impl Measured {
    pub(crate) fn add(&mut self, stat: &Stat) {
        self.files += 1;
        self.bytes += u64::try_from(stat.st_blocks).unwrap_or_default() * 512;
    }
}

/// An open folder, and its listing so far.
struct Level {
    handle: OwnedFd,
    listing: Dir,
}

impl Level {
    fn new(handle: OwnedFd) -> io::Result<Level> {
        let listing = Dir::read_from(&handle)?;
        Ok(Level { handle, listing })
    }
}

/// Measures until `enough` is true. Each level has an open handle meanwhile, so `enough` must bound the depth.
pub(crate) fn measure(path: &Path, enough: impl Fn(&Measured) -> bool) -> Measured {
    let mut measured = Measured::default();
    let mut levels: Vec<Level> = open_path(path).and_then(Level::new).into_iter().collect();
    while let Some(level) = levels.last_mut() {
        let Ok(Some(entry)) = next_entry(&mut level.listing) else {
            levels.pop();
            continue;
        };
        let name = entry.file_name();
        let stat = rustix::fs::statat(level.handle.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW);
        // It may be gone by now.
        let Ok(stat) = stat else { continue };
        measured.add(&stat);
        let folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let inner = folder.then(|| open_folder(&level.handle, name).and_then(Level::new));
        levels.extend(inner.and_then(Result::ok));
        measured.depth = measured.depth.max(levels.len());
        if enough(&measured) {
            break;
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn files_below_paths_that_are_too_long_count() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(250);
        let mut handle = open_path(folder.path()).unwrap();
        for _ in 0..20 {
            rustix::fs::mkdirat(&handle, &long, rustix::fs::Mode::RWXU).unwrap();
            let name = std::ffi::CString::new(long.as_str()).unwrap();
            handle = open_folder(&handle, &name).unwrap();
        }
        let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
        let file =
            rustix::fs::openat(&handle, "file", flags, rustix::fs::Mode::RWXU).expect("a file");
        rustix::io::write(&file, &vec![1; 100_000]).unwrap();
        let measured = measure(folder.path(), |_| false);
        assert_eq!((measured.files, measured.depth), (21, 21));
        assert!(measured.bytes >= 100_000, "{measured:?}");
    }

    #[test]
    fn a_folder_that_may_not_be_listed_counts() {
        let folder = tempfile::tempdir().unwrap();
        let locked = folder.path().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::write(locked.join("file"), vec![1; 50_000]).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        assert!(measure(folder.path(), |_| false).bytes >= 50_000);
    }

    #[test]
    fn it_stops_when_it_has_seen_enough() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..50 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let measured = measure(folder.path(), |so_far| so_far.files == 10);
        assert_eq!(measured.files, 10);
    }
}
