//! The report: counts, and the work that is left.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::commands::snapshot::folder::Folder;

/// The folder for the originals of everything that was not translated.
pub(super) const ORIGINALS: &str = "not-imported";

#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) counts: Counts,
    /// By their ids at Pipedream.
    pub(super) accounts: BTreeMap<String, AccountUse>,
    /// Names of accounts that nothing imported uses.
    pub(super) unused_accounts: BTreeSet<String>,
    /// The names of secrets, each with the items that use it.
    pub(super) secrets: BTreeMap<String, BTreeSet<String>>,
    /// The keys of registry components, each with the items that use it.
    pub(super) registry: BTreeMap<String, BTreeSet<String>>,
    pub(super) findings: BTreeSet<Finding>,
    /// Addresses that change, by item.
    pub(super) endpoints: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip)]
    originals: BTreeMap<String, String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) components: usize,
    pub(super) sources: usize,
    pub(super) workflows: usize,
    pub(super) webhooks: usize,
    pub(super) subscriptions: usize,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct AccountUse {
    pub(super) name: String,
    /// The slug of its app.
    pub(super) app: String,
    pub(super) used_by: BTreeSet<String>,
    /// The steps whose documents have the id of Pipedream.
    pub(super) documents: BTreeSet<String>,
}

/// Something that needs manual work.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Finding {
    pub(super) kind: Kind,
    /// An item, a file or a step.
    pub(super) place: String,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// It is missing in the folder.
    NotImported,
    /// Sluice has no such feature.
    NoEquivalent,
    /// It was translated, with a difference.
    Check,
}

impl Report {
    pub(super) fn add(&mut self, kind: Kind, place: &str, text: impl Into<String>) {
        self.findings.insert(Finding {
            kind,
            place: place.to_owned(),
            text: text.into(),
        });
    }

    pub(super) fn uses_registry(&mut self, key: &str, user: &str) {
        let users = self.registry.entry(key.to_owned()).or_default();
        users.insert(user.to_owned());
    }

    pub(super) fn secret(&mut self, name: &str, user: &str) {
        let users = self.secrets.entry(name.to_owned()).or_default();
        users.insert(user.to_owned());
    }

    pub(super) fn endpoint(&mut self, place: &str, old: &str) {
        let old_urls = self.endpoints.entry(place.to_owned()).or_default();
        old_urls.insert(old.to_owned());
    }

    pub(super) fn data_store(&mut self, place: &str, store: &str) {
        let text = format!(
            "it uses the data store {store}: a data store of that name is created empty, and its content is not moved"
        );
        self.add(Kind::Check, place, text);
    }

    /// Keeps an original file, by its path in the folder of originals.
    pub(super) fn keep_original(&mut self, path: &str, text: &str) {
        let path = format!("{ORIGINALS}/{path}");
        self.originals.insert(path, text.to_owned());
    }

    /// The original files, by their paths in the folder of the import.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        self.originals.clone()
    }

    pub(super) fn count(&mut self, folder: &Folder) {
        self.counts = Counts {
            components: folder.components.len(),
            sources: folder.sources.len(),
            workflows: folder.workflows.len(),
            webhooks: folder.webhooks.len(),
            subscriptions: folder.subscriptions.len(),
        };
    }

    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.kind == kind)
    }

    /// The names of the apps of registry components.
    pub(super) fn apps(&self) -> BTreeSet<&str> {
        let keys = self.registry.keys();
        keys.filter_map(|key| Some(key.split_once('-')?.0))
            .collect()
    }
}
