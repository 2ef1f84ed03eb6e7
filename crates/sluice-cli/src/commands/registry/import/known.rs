//! What earlier imports of the tree found, as the server remembers it.

use std::collections::BTreeMap;

use sluice_api::{ImportedFile, List};

use super::tree::Tree;
use crate::client::Client;

pub(super) struct Known(BTreeMap<String, ImportedFile>);

/// How a file stands to the last import.
pub(super) enum State<'a> {
    New,
    Changed,
    /// Every file that it was made of is as it was.
    Unchanged(&'a ImportedFile),
}

impl Known {
    pub(super) async fn of(client: &Client, tree: &str) -> anyhow::Result<Known> {
        let mut known = BTreeMap::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![("tree", tree), ("limit", "100")];
            query.extend(after.as_deref().map(|path| ("after", path)));
            let List { page_info, data } = client
                .page::<ImportedFile>("/components/registry/imports", &query)
                .await?;
            known.extend(data.into_iter().map(|file| (file.path.clone(), file)));
            match page_info.end_cursor {
                Some(path) => after = Some(path),
                None => return Ok(Known(known)),
            }
        }
    }

    pub(super) fn state(&self, tree: &Tree, path: &str) -> State<'_> {
        match self.0.get(path) {
            None => State::New,
            Some(file) if is_as_it_was(tree, file) => State::Unchanged(file),
            Some(_) => State::Changed,
        }
    }

    /// What was imported and is no more in the tree.
    pub(super) fn left(&self, tree: &Tree) -> impl Iterator<Item = &ImportedFile> {
        let covered = self.0.values().filter(|file| tree.covers(&file.path));
        covered.filter(|file| tree.hash(&file.path).is_none())
    }
}

fn is_as_it_was(tree: &Tree, file: &ImportedFile) -> bool {
    file.files
        .iter()
        .all(|(path, hash)| match path.strip_suffix('/') {
            Some(folder) => !tree.has_folder(folder),
            None => tree.hash(path).as_deref().unwrap_or_default() == hash,
        })
}
