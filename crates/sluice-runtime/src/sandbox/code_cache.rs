//! Deno's cache of compiled code. Without it every start of a process takes a third longer.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// The cache, and whether it can be used.
pub(crate) struct CodeCache {
    folder: PathBuf,
    filled: AtomicBool,
    /// The number of processes that started without the cache.
    starts: AtomicUsize,
}

impl CodeCache {
    pub(super) fn in_folder(folder: PathBuf) -> CodeCache {
        CodeCache {
            folder,
            filled: AtomicBool::new(false),
            starts: AtomicUsize::new(0),
        }
    }

    /// Its folder, filled or not.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its folder, if processes can use it.
    pub(crate) fn filled(&self) -> Option<&Path> {
        let filled = self.filled.load(Ordering::Acquire);
        filled.then_some(&*self.folder)
    }

    pub(crate) fn set_filled(&self) {
        self.filled.store(true, Ordering::Release);
    }

    /// Counts the start of a process without the cache. Returns the number of starts.
    pub(crate) fn count_start(&self) -> usize {
        self.starts.fetch_add(1, Ordering::Relaxed) + 1
    }
}
