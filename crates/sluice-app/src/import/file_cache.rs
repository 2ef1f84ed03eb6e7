//! The files that were read last. The components of an app share most of their files, so each is read, hashed and parsed once.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use sluice_code::{Location, ParsedModule};

/// The largest total size of texts. Everything is dropped beyond it: components are read in the order of their paths, so files
/// of earlier apps are rarely needed again.
const MAX_BYTES: usize = 4 << 20;

#[derive(Clone, Default)]
pub(super) struct FileCache {
    files: Arc<Mutex<Cached>>,
}

#[derive(Default)]
struct Cached {
    files: HashMap<Location, CachedFile>,
    bytes: usize,
}

struct CachedFile {
    text: Arc<str>,
    hash: String,
    module: Option<ParsedModule>,
}

impl FileCache {
    /// The text of a file and its hash.
    pub(super) fn text(&self, location: &Location) -> Option<(String, String)> {
        let cached = self.files.lock();
        let file = cached.files.get(location)?;
        Some((file.text.to_string(), file.hash.clone()))
    }

    pub(super) fn module(&self, location: &Location) -> Option<ParsedModule> {
        self.files.lock().files.get(location)?.module.clone()
    }

    pub(super) fn add(&self, location: &Location, text: &str, hash: &str) {
        let mut cached = self.files.lock();
        if cached.bytes + text.len() > MAX_BYTES {
            *cached = Cached::default();
        }
        if text.len() > MAX_BYTES {
            return;
        }
        let file = CachedFile {
            text: Arc::from(text),
            hash: hash.to_owned(),
            module: None,
        };
        if cached.files.insert(location.clone(), file).is_none() {
            cached.bytes += text.len();
        }
    }

    pub(super) fn add_module(&self, location: &Location, module: &ParsedModule) {
        if let Some(file) = self.files.lock().files.get_mut(location) {
            file.module = Some(module.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cache_is_emptied() {
        let cache = FileCache::default();
        let text = "a".repeat(MAX_BYTES / 2);
        let location = |number: usize| Location::new(format!("{number}.mjs").as_str());
        for number in 0..3 {
            cache.add(&location(number), &text, "hash");
        }
        let known: Vec<bool> = (0..3).map(|n| cache.text(&location(n)).is_some()).collect();
        assert_eq!(known, [false, false, true]);
        cache.add(&location(3), &"a".repeat(MAX_BYTES + 1), "hash");
        assert!(cache.text(&location(3)).is_none());
    }
}
