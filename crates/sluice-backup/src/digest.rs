//! Hashes of rows and descriptions.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// A hash over a list of byte strings.
#[derive(Default)]
pub(crate) struct ListDigest(Sha256);

impl ListDigest {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> String {
        let bytes = self.0.finalize();
        let mut text = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}
