//! Mapping between names in a folder and ids of the server.

use std::collections::BTreeMap;

use super::account::Account;

/// Patterns are both names and ids.
const PATTERNS: [&str; 3] = ["dc_*", "p_*", "*"];

/// Ids by names such as `sources/<slug>`.
#[derive(Debug, Default)]
pub(crate) struct Ids(BTreeMap<String, String>);

impl Ids {
    /// All items of the account by name.
    pub(crate) fn from_account(account: &Account) -> Ids {
        let mut ids = Ids::default();
        for deployed in &account.sources {
            let source = &deployed.source;
            ids.insert(source_name(&source.name_slug), source.id.as_str());
        }
        for deployed in &account.workflows {
            let workflow = &deployed.workflow;
            ids.insert(workflow_name(&workflow.name_slug), workflow.id.as_str());
        }
        for named in &account.webhooks {
            ids.insert(webhook_name(&named.key), named.webhook.id.as_str());
        }
        ids
    }

    pub(crate) fn insert(&mut self, name: String, id: &str) {
        self.0.insert(name, id.to_owned());
    }

    pub(crate) fn id_of(&self, name: &str) -> Option<&str> {
        if let Some(pattern) = PATTERNS.into_iter().find(|pattern| *pattern == name) {
            return Some(pattern);
        }
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn name_of(&self, id: &str) -> Option<String> {
        if PATTERNS.contains(&id) {
            return Some(id.to_owned());
        }
        let entry = self.0.iter().find(|(_, entry_id)| *entry_id == id);
        entry.map(|(name, _)| name.clone())
    }
}

pub(crate) fn source_name(slug: &str) -> String {
    format!("sources/{slug}")
}

pub(crate) fn workflow_name(slug: &str) -> String {
    format!("workflows/{slug}")
}

pub(crate) fn webhook_name(key: &str) -> String {
    format!("webhooks/{key}")
}
