//! Unpacks an archive of installed packages. Strangers chose the names and contents in it, so nothing is written outside of the
//! folder, and nothing beyond the limits of packages.
//!
//! Links are created last: until then no link exists that could lead a file elsewhere.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Component, Path, PathBuf},
};

use flate2::read::GzDecoder;
use tar::{Archive, Entry, EntryType};

use super::{
    limits::{Excess, PackageLimits},
    links::check_target,
};
use crate::trees::Measured;

/// The longest path or target of a link.
const MAX_NAME: u64 = 4096;

#[derive(Debug, thiserror::Error)]
pub(super) enum UnpackError {
    #[error("it has an entry that packages do not have: {0}")]
    Entry(String),
    #[error("{0}")]
    Excess(Excess),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Unpacks an archive into an empty folder. After an error the folder may have a part of it.
pub(super) fn unpack(
    archive: &[u8],
    folder: &Path,
    limits: PackageLimits,
) -> Result<(), UnpackError> {
    let mut unpacking = Unpacking {
        folder,
        limits,
        unpacked: Measured::default(),
        long_path: None,
        long_target: None,
        links: Vec::new(),
    };
    let mut archive = Archive::new(GzDecoder::new(archive));
    // Raw entries, because the length of long names must be checked before they are read.
    for entry in archive.entries()?.raw(true) {
        unpacking.add(&mut entry?)?;
    }
    for Link { path, target } in &unpacking.links {
        symlink(target, folder.join(path))?;
    }
    Ok(())
}

struct Link {
    path: PathBuf,
    target: PathBuf,
}

struct Unpacking<'a> {
    folder: &'a Path,
    limits: PackageLimits,
    unpacked: Measured,
    /// The path of the next entry, if it is too long for its header.
    long_path: Option<Vec<u8>>,
    /// The target of the next link, if it is too long for its header.
    long_target: Option<Vec<u8>>,
    links: Vec<Link>,
}

impl Unpacking<'_> {
    fn add(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), UnpackError> {
        match entry.header().entry_type() {
            EntryType::GNULongName if self.long_path.is_none() => {
                self.long_path = Some(read_name(entry)?);
            }
            EntryType::GNULongLink if self.long_target.is_none() => {
                self.long_target = Some(read_name(entry)?);
            }
            EntryType::Regular => self.add_file(entry)?,
            EntryType::Directory => self.add_folder(entry)?,
            EntryType::Symlink => self.add_link(entry)?,
            kind => return Err(UnpackError::Entry(format!("{kind:?}"))),
        }
        Ok(())
    }

    fn add_file(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), UnpackError> {
        let path = self.take_path(entry)?;
        let size = entry.size();
        self.count(&path, size)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.folder.join(path))?;
        if io::copy(entry, &mut file)? < size {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(file.set_permissions(permissions(entry, 0o600)?)?)
    }

    fn add_folder(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), UnpackError> {
        let path = self.take_path(entry)?;
        self.count(&path, 0)?;
        check_empty(entry)?;
        let path = self.folder.join(path);
        fs::create_dir(&path)?;
        Ok(File::open(path)?.set_permissions(permissions(entry, 0o700)?)?)
    }

    fn add_link(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), UnpackError> {
        let path = self.take_path(entry)?;
        self.count(&path, 0)?;
        check_empty(entry)?;
        let target = match self.long_target.take() {
            Some(target) => target,
            None => entry.link_name_bytes().unwrap_or_default().into_owned(),
        };
        let target = as_path(&target);
        check_target(&path, &target)?;
        self.links.push(Link { path, target });
        Ok(())
    }

    /// The path of an entry, which stays below the folder.
    fn take_path(&mut self, entry: &Entry<'_, impl Read>) -> Result<PathBuf, UnpackError> {
        let path = match self.long_path.take() {
            Some(path) => as_path(&path),
            None => as_path(&entry.path_bytes()),
        };
        let is_plain = |part| matches!(part, Component::Normal(_));
        if path.components().all(is_plain) && path.components().next().is_some() {
            Ok(path)
        } else {
            let path = path.display();
            Err(UnpackError::Entry(format!("{path} leaves the folder")))
        }
    }

    fn count(&mut self, path: &Path, bytes: u64) -> Result<(), UnpackError> {
        let unpacked = &mut self.unpacked;
        unpacked.files += 1;
        unpacked.bytes = unpacked.bytes.saturating_add(bytes);
        unpacked.depth = unpacked.depth.max(path.components().count());
        match self.limits.exceeded_by(unpacked) {
            Some(excess) => Err(UnpackError::Excess(excess)),
            None => Ok(()),
        }
    }
}

fn as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A name that has an entry of its own. It ends with a NUL.
fn read_name(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, UnpackError> {
    if entry.size() > MAX_NAME {
        return Err(UnpackError::Entry("a name that is too long".to_owned()));
    }
    let mut name = Vec::new();
    entry.read_to_end(&mut name)?;
    if name.last() == Some(&0) {
        name.pop();
    }
    Ok(name)
}

/// Content of an entry without a file would be decompressed only to be skipped.
fn check_empty(entry: &Entry<'_, impl Read>) -> Result<(), UnpackError> {
    match entry.size() {
        0 => Ok(()),
        _ => Err(UnpackError::Entry(
            "a folder or link with content".to_owned(),
        )),
    }
}

/// The permissions that the installer gave. Only the server may write, whatever the archive says.
fn permissions(entry: &Entry<'_, impl Read>, least: u32) -> io::Result<Permissions> {
    let mode = entry.header().mode()?;
    Ok(Permissions::from_mode(mode & 0o755 | least))
}

#[cfg(test)]
mod tests;
