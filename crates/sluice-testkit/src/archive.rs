//! Archives of npm packages, also such as no honest tool writes.

use std::io::Read;

use flate2::{Compression, write::GzEncoder};
use tar::{Builder, EntryType, Header};

/// A compressed archive that is being written.
pub struct Archive(Builder<GzEncoder<Vec<u8>>>);

impl Archive {
    /// An archive without files. It is compressed, so that equal bytes take no space.
    pub fn compressed() -> Archive {
        Archive::with(Compression::best())
    }

    /// An archive that is written quickly.
    pub(crate) fn stored() -> Archive {
        Archive::with(Compression::none())
    }

    fn with(compression: Compression) -> Archive {
        Archive(Builder::new(GzEncoder::new(Vec::new(), compression)))
    }

    /// Adds a file of any length of path.
    #[must_use]
    pub fn file(mut self, path: &str, bytes: &[u8]) -> Archive {
        let mut header = header(bytes.len() as u64);
        let added = self.0.append_data(&mut header, path, bytes);
        added.expect("memory takes every byte");
        self
    }

    /// Adds a file of `size` zeros.
    #[must_use]
    pub fn zeros(mut self, path: &str, size: u64) -> Archive {
        let zeros = std::io::repeat(0).take(size);
        let added = self.0.append_data(&mut header(size), path, zeros);
        added.expect("memory takes every byte");
        self
    }

    /// Adds a file at a short path that may lead anywhere.
    #[must_use]
    pub fn file_anywhere(mut self, path: &str, bytes: &[u8]) -> Archive {
        let mut header = header(bytes.len() as u64);
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        self.0
            .append(&header, bytes)
            .expect("memory takes every byte");
        self
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> Archive {
        let mut header = header(0);
        header.set_entry_type(EntryType::Symlink);
        let added = self.0.append_link(&mut header, path, target);
        added.expect("memory takes every byte");
        self
    }

    pub fn finish(self) -> Vec<u8> {
        let compressed = self.0.into_inner().and_then(GzEncoder::finish);
        compressed.expect("memory takes every byte")
    }
}

fn header(size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header
}
