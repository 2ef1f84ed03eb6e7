//! Reads folders by name in an open folder.

use std::{ffi::CStr, io, path::Path};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags},
    io::Errno,
};

pub(crate) fn open_path(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(CWD, path, flags(), Mode::empty())?)
}

/// Opens the folder `name`, also one that its owner may not list.
pub(super) fn open_folder(parent: impl AsFd, name: &CStr) -> io::Result<OwnedFd> {
    let open = || rustix::fs::openat(&parent, name, flags(), Mode::empty());
    match open() {
        Err(Errno::ACCESS) => {
            make_usable(&parent, name)?;
            Ok(open()?)
        }
        opened => Ok(opened?),
    }
}

/// Lets its owner list and change a folder.
pub(super) fn make_usable(parent: impl AsFd, name: &CStr) -> io::Result<()> {
    Ok(rustix::fs::chmodat(
        parent,
        name,
        Mode::RWXU,
        AtFlags::empty(),
    )?)
}

/// The next entry that is not the folder itself or its parent.
pub(super) fn next_entry(folder: &mut Dir) -> io::Result<Option<DirEntry>> {
    loop {
        match folder.next().transpose()? {
            Some(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => {}
            entry => return Ok(entry),
        }
    }
}

/// Whether an entry is a folder. Some file systems do not say so in the listing.
pub(super) fn is_folder(parent: impl AsFd, entry: &DirEntry) -> io::Result<bool> {
    let file_type = match entry.file_type() {
        FileType::Unknown => {
            let stat = rustix::fs::statat(parent, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            FileType::from_raw_mode(stat.st_mode)
        }
        known => known,
    };
    Ok(file_type == FileType::Directory)
}

fn flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}
