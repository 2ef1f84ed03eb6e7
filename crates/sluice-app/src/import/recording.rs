//! Recording the files of a component, including those that were looked up and do not exist.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use sluice_code::{FileError, Files, Location, ParsedModule, is_sample};
use sluice_model::code_hash;

use super::file_cache::FileCache;

/// The files of a tree, with a record of all reads.
#[derive(Clone)]
pub(super) struct RecordedFiles<F> {
    files: F,
    cache: FileCache,
    /// The hashes of files by path, empty for missing files. Folders end with a slash.
    hashes: Arc<Mutex<BTreeMap<String, String>>>,
}

impl<F: Clone> RecordedFiles<F> {
    pub(super) fn new(files: &F, cache: &FileCache) -> RecordedFiles<F> {
        RecordedFiles {
            files: files.clone(),
            cache: cache.clone(),
            hashes: Arc::default(),
        }
    }

    pub(super) fn hashes(&self) -> BTreeMap<String, String> {
        self.hashes.lock().clone()
    }

    /// Most components have no sample. `plan` looks for new ones.
    fn record(&self, path: String, hash: String) {
        if hash.is_empty() && is_sample(&path) {
            return;
        }
        self.hashes.lock().insert(path, hash);
    }
}

impl<F: Files + Clone> Files for RecordedFiles<F> {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        self.files.locate(importer, specifier)
    }

    fn app_folder(&self, app: &str) -> Option<Location> {
        let found = self.files.app_folder(app);
        if found.is_none() {
            self.record(format!("{app}/"), String::new());
        }
        found
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        if let Some((text, hash)) = self.cache.text(location) {
            self.record(location.to_string(), hash);
            return Ok(Some(text));
        }
        let read = self.files.read(location).await;
        // Unreadable files have no hash, like missing ones: either may change.
        let hash = match &read {
            Ok(Some(text)) => code_hash(text),
            Ok(None) | Err(_) => String::new(),
        };
        if let Ok(Some(text)) = &read {
            self.cache.add(location, text, &hash);
        }
        self.record(location.to_string(), hash);
        read
    }

    fn parsed(&self, location: &Location) -> Option<ParsedModule> {
        self.cache.module(location)
    }

    fn keep(&self, location: &Location, module: &ParsedModule) {
        self.cache.add_module(location, module);
    }
}
