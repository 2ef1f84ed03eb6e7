//! Noting what a bundle was made of, and what it looked for in vain.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use sluice_code::{FileError, Files, LocalFiles, Location};
use sluice_model::code_hash;

/// Files of a tree that note what is asked of them.
#[derive(Clone)]
pub(super) struct RecordedFiles {
    files: LocalFiles,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Default)]
struct Notes {
    /// The hashes of files by their paths, empty for what is not there. A folder has a slash at its end.
    hashes: BTreeMap<String, String>,
}

impl RecordedFiles {
    pub(super) fn new(files: &LocalFiles) -> RecordedFiles {
        RecordedFiles {
            files: files.clone(),
            notes: Arc::default(),
        }
    }

    /// What was noted so far.
    pub(super) fn hashes(&self) -> BTreeMap<String, String> {
        self.notes.lock().hashes.clone()
    }

    fn note(&self, path: String, hash: String) {
        self.notes.lock().hashes.insert(path, hash);
    }
}

impl Files for RecordedFiles {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        self.files.locate(importer, specifier)
    }

    fn app_folder(&self, app: &str) -> Option<Location> {
        let found = self.files.app_folder(app);
        if found.is_none() {
            self.note(format!("{app}/"), String::new());
        }
        found
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        let read = self.files.read(location).await;
        // What cannot be read has no hash, as what is not there: either may change.
        let hash = match &read {
            Ok(Some(text)) => code_hash(text),
            Ok(None) | Err(_) => String::new(),
        };
        self.note(location.to_string(), hash);
        read
    }
}
