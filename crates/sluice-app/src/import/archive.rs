//! Unpacks a tar archive with a tree of components. Only files that components may have are kept. The archive may come from a
//! stranger, so its size is limited, packed and unpacked.

use std::{
    ffi::OsStr,
    io::{self, Read},
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path},
};

use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType, PaxExtensions};

use super::archive_files::{ArchiveFiles, ArchiveWriter};

/// The largest content of an archive, with files that are not unpacked.
const MAX_UNPACKED: u64 = 4 << 30;
/// The largest content of the files that are unpacked.
const MAX_WRITTEN: u64 = 1 << 30;
const MAX_FILES: usize = 500_000;
/// The length of all paths, which are in memory.
const MAX_PATHS: usize = 64 << 20;
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

/// Unpacks an archive, compressed with gzip or not.
pub(super) fn unpack(
    archive: &mut impl Read,
    writer: ArchiveWriter,
) -> Result<ArchiveFiles, ArchiveError> {
    let start = read_start(archive)?;
    let whole = start.as_slice().chain(archive);
    if start == GZIP {
        unpack_tar(MultiGzDecoder::new(whole), writer)
    } else {
        unpack_tar(whole, writer)
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

fn unpack_tar(tar: impl Read, writer: ArchiveWriter) -> Result<ArchiveFiles, ArchiveError> {
    let mut unpacking = Unpacking {
        writer,
        written: 0,
        files: 0,
        paths: 0,
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
    unpacking.writer.finish().map_err(ArchiveError::Write)
}

struct Unpacking {
    writer: ArchiveWriter,
    written: u64,
    files: usize,
    /// The length of all paths.
    paths: usize,
    /// The path of the next entry, if it is too long for its header.
    long_path: Option<Vec<u8>>,
}

impl Unpacking {
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
        let Some(path) = path.filter(|path| is_source(path)) else {
            return Ok(());
        };
        let size = entry.size();
        self.count(&path, size)?;
        let copied = self.writer.add(path, entry).map_err(ArchiveError::Read)?;
        if copied < size {
            return Err(ArchiveError::Read(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }

    fn count(&mut self, path: &str, size: u64) -> Result<(), ArchiveError> {
        if size > MAX_FILE {
            let limit = MAX_FILE >> 20;
            return Err(ArchiveError::TooLarge(format!(
                "{path} has more than {limit} MiB"
            )));
        }
        self.files += 1;
        self.written += size;
        self.paths += path.len();
        if self.paths > MAX_PATHS {
            return Err(ArchiveError::TooLarge("too many long paths".to_owned()));
        }
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

/// The path of an entry below the root of the archive, with slashes. `./a` is `a`. None if it is no text.
fn plain_path(name: &[u8]) -> Result<Option<String>, ArchiveError> {
    let given = Path::new(OsStr::from_bytes(name));
    let mut parts = Vec::new();
    for part in given.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                let given = given.display();
                return Err(ArchiveError::Entry(format!("{given} leaves the folder")));
            }
        }
    }
    if parts.len() > MAX_DEPTH || name.len() as u64 > MAX_PATH || name.contains(&0) {
        return Err(ArchiveError::Entry("a path that is too long".to_owned()));
    }
    let parts: Option<Vec<&str>> = parts.into_iter().map(OsStr::to_str).collect();
    Ok(parts.map(|parts| parts.join("/")))
}

#[cfg(test)]
mod tests;
