//! Unpacks a tar archive with a tree of components. Only files that components may have are written, and nothing outside of the
//! folder. The archive may come from a stranger, so its size is limited, packed and unpacked.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    io::{self, Read},
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType, PaxExtensions};

/// The largest content of an archive, with files that are not unpacked.
const MAX_UNPACKED: u64 = 4 << 30;
/// The largest content of the files that are unpacked.
const MAX_WRITTEN: u64 = 1 << 30;
const MAX_FILES: usize = 500_000;
/// The largest file. It is far above the limit of a component.
const MAX_FILE: u64 = 16 << 20;
/// The longest path, and the most folders in it.
const MAX_PATH: u64 = 4096;
const MAX_DEPTH: usize = 64;
/// The longest header with extended attributes.
const MAX_EXTENDED: u64 = 64 << 10;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The extensions of files that components may have.
const EXTENSIONS: [&str; 7] = ["mjs", "js", "cjs", "ts", "mts", "cts", "json"];

#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error("the archive is empty")]
    Empty,
    #[error("this is no tar archive, or not compressed with gzip: {0}")]
    Format(io::Error),
    #[error("the archive has an invalid entry: {0}")]
    Entry(String),
    #[error("the archive is too large: {0}")]
    TooLarge(String),
    #[error("the archive cannot be read: {0}")]
    Read(io::Error),
    #[error("the archive cannot be unpacked: {0}")]
    Write(io::Error),
}

/// Whether a file of a tree may belong to a component. Paths have slashes.
pub fn is_source(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let is_hidden = |part: &str| part.starts_with('.') || part == "node_modules";
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        && !name.starts_with('.')
        && !parts.any(is_hidden)
}

/// Unpacks an archive, compressed with gzip or not, into an empty folder.
pub(super) fn unpack(archive: &mut impl Read, folder: &Path) -> Result<(), ArchiveError> {
    let start = read_start(archive)?;
    let whole = start.as_slice().chain(archive);
    if start == GZIP {
        unpack_tar(MultiGzDecoder::new(whole), folder)
    } else {
        unpack_tar(whole, folder)
    }
}

/// The first bytes, which tell the compression.
fn read_start(archive: &mut impl Read) -> Result<Vec<u8>, ArchiveError> {
    let mut start = Vec::new();
    let read = archive.take(GZIP.len() as u64).read_to_end(&mut start);
    match read.map_err(ArchiveError::Read)? {
        0 => Err(ArchiveError::Empty),
        _ => Ok(start),
    }
}

fn unpack_tar(tar: impl Read, folder: &Path) -> Result<(), ArchiveError> {
    let mut unpacking = Unpacking {
        folder,
        written: 0,
        files: 0,
        long_path: None,
    };
    // One byte more than allowed shows that the archive is longer.
    let mut archive = Archive::new(tar.take(MAX_UNPACKED + 1));
    let mut read = 0;
    // Raw entries, because the length of long names must be checked before they are read.
    let entries = archive.entries().map_err(ArchiveError::Format)?;
    for entry in entries.raw(true) {
        let mut entry = entry.map_err(ArchiveError::Format)?;
        read += entry.size();
        if read > MAX_UNPACKED {
            let message = format!("more than {} GiB unpacked", MAX_UNPACKED >> 30);
            return Err(ArchiveError::TooLarge(message));
        }
        unpacking.add(&mut entry)?;
    }
    Ok(())
}

struct Unpacking<'a> {
    folder: &'a Path,
    written: u64,
    files: usize,
    /// The path of the next entry, if it is too long for its header.
    long_path: Option<Vec<u8>>,
}

impl Unpacking<'_> {
    fn add(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), ArchiveError> {
        match entry.header().entry_type() {
            EntryType::GNULongName => {
                let mut name = read_small(entry, MAX_PATH)?;
                if name.last() == Some(&0) {
                    name.pop();
                }
                self.long_path = Some(name);
                return Ok(());
            }
            EntryType::XHeader => {
                let extended = read_small(entry, MAX_EXTENDED)?;
                let mut attributes = PaxExtensions::new(&extended).flatten();
                let path = attributes.find(|one| one.key_bytes() == b"path");
                if let Some(path) = path {
                    self.long_path = Some(path.value_bytes().to_vec());
                }
                return Ok(());
            }
            EntryType::Regular => self.add_file(entry)?,
            // Folders are created for their files, and links are not followed.
            _ => {}
        }
        self.long_path = None;
        Ok(())
    }

    fn add_file(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), ArchiveError> {
        let name = match self.long_path.take() {
            Some(name) => name,
            None => entry.path_bytes().into_owned(),
        };
        let path = plain_path(&name)?;
        if !path.to_str().is_some_and(is_source) {
            return Ok(());
        }
        let size = entry.size();
        self.count(&path, size)?;
        let target = self.folder.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(ArchiveError::Write)?;
        }
        // A later entry replaces an earlier one of the same name.
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).open(target);
        let mut file = file.map_err(ArchiveError::Write)?;
        let copied = io::copy(entry, &mut file).map_err(ArchiveError::Read)?;
        if copied < size {
            return Err(ArchiveError::Read(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }

    fn count(&mut self, path: &Path, size: u64) -> Result<(), ArchiveError> {
        let path = path.display();
        if size > MAX_FILE {
            let limit = MAX_FILE >> 20;
            return Err(ArchiveError::TooLarge(format!(
                "{path} has more than {limit} MiB"
            )));
        }
        self.files += 1;
        self.written += size;
        if self.files > MAX_FILES {
            return Err(ArchiveError::TooLarge(format!(
                "more than {MAX_FILES} files"
            )));
        }
        if self.written > MAX_WRITTEN {
            let message = format!("more than {} GiB of code", MAX_WRITTEN >> 30);
            return Err(ArchiveError::TooLarge(message));
        }
        Ok(())
    }
}

fn read_small(entry: &mut Entry<'_, impl Read>, limit: u64) -> Result<Vec<u8>, ArchiveError> {
    if entry.size() > limit {
        return Err(ArchiveError::Entry("a name that is too long".to_owned()));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(ArchiveError::Read)?;
    Ok(bytes)
}

/// The path of an entry, which stays below the folder. `./a` is `a`.
fn plain_path(name: &[u8]) -> Result<PathBuf, ArchiveError> {
    let given = Path::new(OsStr::from_bytes(name));
    let mut path = PathBuf::new();
    for part in given.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                let given = given.display();
                return Err(ArchiveError::Entry(format!("{given} leaves the folder")));
            }
        }
    }
    let depth = path.components().count();
    if depth > MAX_DEPTH || name.len() as u64 > MAX_PATH || name.contains(&0) {
        return Err(ArchiveError::Entry("a path that is too long".to_owned()));
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
