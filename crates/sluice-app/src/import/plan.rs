//! Which files of a checkout are imported: those that changed since the last import.

use std::{
    collections::{BTreeMap, HashSet},
    io,
};

use sluice_model::FailureReason;
use sluice_store::imported_files::ImportedFile;

use super::{archive_files::ArchiveFiles, checkout::Checkout};

pub(super) struct Plan {
    /// The paths of components that are new or have changed.
    pub(super) changed: Vec<String>,
    /// Components whose files have not changed.
    pub(super) unchanged: Vec<ImportedFile>,
    /// The number of files that are not components.
    pub(super) skipped: usize,
    /// Files of earlier imports that are no longer in the tree.
    pub(super) removed: Vec<ImportedFile>,
}

impl Plan {
    /// Reads the files. `earlier` has the files of earlier imports of the tree.
    pub(super) fn new(
        checkout: &Checkout<ArchiveFiles>,
        earlier: Vec<ImportedFile>,
    ) -> io::Result<Plan> {
        let mut earlier: BTreeMap<String, ImportedFile> = earlier
            .into_iter()
            .map(|file| (file.path.clone(), file))
            .collect();
        let mut plan = Plan {
            changed: Vec::new(),
            unchanged: Vec::new(),
            skipped: 0,
            removed: Vec::new(),
        };
        let files = checkout.files()?;
        let present: HashSet<String> = files.iter().cloned().collect();
        for path in files {
            match earlier.remove(&path) {
                Some(file) if is_unchanged(checkout, &file) => plan.unchanged.push(file),
                Some(_) => plan.changed.push(path),
                None if checkout.has_component(&path) => plan.changed.push(path),
                None => plan.skipped += 1,
            }
        }
        let left = earlier.into_values();
        plan.removed = left
            .filter(|file| checkout.covers(&file.path) && !present.contains(&file.path))
            .collect();
        if !plan.changed.is_empty() || !plan.removed.is_empty() {
            plan.retry_taken_keys();
        }
        Ok(plan)
    }

    /// The key that another file had may be free after the changes.
    fn retry_taken_keys(&mut self) {
        let had_no_key = |file: &mut ImportedFile| {
            let failure = file.failure.as_ref();
            failure.is_some_and(|failure| failure.reason == FailureReason::Key)
        };
        let retried = self.unchanged.extract_if(.., had_no_key);
        self.changed.extend(retried.map(|file| file.path));
        self.changed.sort();
    }
}

fn is_unchanged(checkout: &Checkout<ArchiveFiles>, file: &ImportedFile) -> bool {
    let sample = checkout.sample_of(&file.path);
    let has_new_sample = sample.is_some_and(|sample| !file.files.contains_key(&sample));
    let mut files = file.files.iter();
    !has_new_sample
        && files.all(|(path, hash)| match path.strip_suffix('/') {
            Some(folder) => !checkout.has_folder(folder),
            None => checkout.hash(path).as_deref().unwrap_or_default() == hash,
        })
}
