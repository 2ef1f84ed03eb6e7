//! The sizes of package folders, which do not change once they are installed.

use std::{collections::HashMap, path::Path};

use parking_lot::Mutex;

use crate::trees::measure;

/// Measuring keeps a handle of each level open.
const MAX_DEPTH: usize = 64;

/// By the hash of the lock.
#[derive(Default)]
pub(super) struct Sizes(Mutex<HashMap<String, u64>>);

impl Sizes {
    /// The size of the folder of a lock below `folder`, in bytes; 0 when it is not installed.
    pub(super) fn of(&self, folder: &Path, hash: &str) -> u64 {
        if let Some(bytes) = self.0.lock().get(hash) {
            return *bytes;
        }
        let measured = measure(&folder.join(hash), |so_far| so_far.depth > MAX_DEPTH);
        if measured.bytes > 0 {
            self.0.lock().insert(hash.to_owned(), measured.bytes);
        }
        measured.bytes
    }
}
