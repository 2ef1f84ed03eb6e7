//! Packs a folder of installed packages into one archive: tar, compressed with gzip.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use tar::{Builder, EntryType, Header};

use super::links::check_target;

type Archive = Builder<GzEncoder<Bounded>>;

/// The archive of a folder, or `None` if it is larger than `max_bytes`.
pub(super) fn pack(folder: &Path, max_bytes: usize) -> io::Result<Option<Vec<u8>>> {
    match pack_all(folder, max_bytes) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(None),
        packed => packed.map(Some),
    }
}

/// Entries are in the order of their names, and a folder comes before its content.
fn pack_all(folder: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
    let output = Bounded {
        bytes: Vec::new(),
        max_bytes,
    };
    let mut archive = Builder::new(GzEncoder::new(output, Compression::fast()));
    let mut waiting = entries(folder, Path::new(""))?;
    while let Some(path) = waiting.pop() {
        if add(&mut archive, folder, &path)? {
            waiting.extend(entries(folder, &path)?);
        }
    }
    Ok(archive.into_inner()?.finish()?.bytes)
}

/// The entries of a folder below `top`, the last one first.
fn entries(top: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(top.join(folder))? {
        paths.push(folder.join(entry?.file_name()));
    }
    paths.sort_unstable_by(|a, b| b.cmp(a));
    Ok(paths)
}

/// Adds the entry at `path` in `folder`. Returns whether it is a folder, too.
fn add(archive: &mut Archive, folder: &Path, path: &Path) -> io::Result<bool> {
    let full = folder.join(path);
    let metadata = fs::symlink_metadata(&full)?;
    let mut header = Header::new_gnu();
    header.set_mode(metadata.permissions().mode() & 0o777);
    header.set_size(0);
    if metadata.is_dir() {
        header.set_entry_type(EntryType::Directory);
        archive.append_data(&mut header, path, io::empty())?;
    } else if metadata.is_symlink() {
        let target = fs::read_link(&full)?;
        check_target(path, &target)?;
        header.set_entry_type(EntryType::Symlink);
        archive.append_link(&mut header, path, target)?;
    } else if metadata.is_file() {
        header.set_entry_type(EntryType::Regular);
        header.set_size(metadata.len());
        let content = File::open(&full)?.take(metadata.len());
        archive.append_data(&mut header, path, content)?;
    } else {
        let path = path.display();
        return Err(io::Error::other(format!("{path} is not a plain file")));
    }
    Ok(metadata.is_dir())
}

/// Bytes in memory, up to a limit.
struct Bounded {
    bytes: Vec<u8>,
    max_bytes: usize,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
