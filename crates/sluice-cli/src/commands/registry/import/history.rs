//! The results of earlier imports of the tree, from the server.

use std::collections::BTreeMap;

use sluice_api::{ImportedFile, List};

use super::tree::Tree;
use crate::client::Client;

pub(super) struct ImportHistory(BTreeMap<String, ImportedFile>);

/// The state of a file since the last import.
pub(super) enum FileState<'a> {
    New,
    Changed,
    /// None of its files has changed.
    Unchanged(&'a ImportedFile),
}

impl ImportHistory {
    pub(super) async fn fetch(client: &Client, tree: &str) -> anyhow::Result<ImportHistory> {
        let mut files = BTreeMap::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![("tree", tree), ("limit", "100")];
            query.extend(after.as_deref().map(|path| ("after", path)));
            let List { page_info, data } = client
                .page::<ImportedFile>("/components/registry/imports", &query)
                .await?;
            files.extend(data.into_iter().map(|file| (file.path.clone(), file)));
            match page_info.end_cursor {
                Some(path) => after = Some(path),
                None => return Ok(ImportHistory(files)),
            }
        }
    }

    pub(super) fn state(&self, tree: &Tree, path: &str) -> FileState<'_> {
        match self.0.get(path) {
            None => FileState::New,
            Some(file) if is_unchanged(tree, file) => FileState::Unchanged(file),
            Some(_) => FileState::Changed,
        }
    }

    /// Imported files that are no longer in the tree.
    pub(super) fn removed(&self, tree: &Tree) -> impl Iterator<Item = &ImportedFile> {
        let covered = self.0.values().filter(|file| tree.covers(&file.path));
        covered.filter(|file| tree.hash(&file.path).is_none())
    }
}

fn is_unchanged(tree: &Tree, file: &ImportedFile) -> bool {
    file.files
        .iter()
        .all(|(path, hash)| match path.strip_suffix('/') {
            Some(folder) => !tree.has_folder(folder),
            None => tree.hash(path).as_deref().unwrap_or_default() == hash,
        })
}
