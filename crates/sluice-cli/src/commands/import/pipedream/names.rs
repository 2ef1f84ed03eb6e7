//! The names that items get in the folder, by their ids at Pipedream.
//!
//! A slug is the one that the server assigns when `apply` creates the item, so that triggers can name sources by slug.

use std::collections::BTreeMap;

use sluice_model::{slugify, unique_slug};

use super::{
    listings::{Listings, SubscriptionRow},
    workflows::SyncedWorkflow,
};
use crate::commands::snapshot::{
    ids::{source_name, webhook_name, workflow_name},
    names::webhook_names,
};

pub(super) struct Names<'a> {
    sources: BTreeMap<&'a str, String>,
    /// By the path of the synced folder.
    workflows: BTreeMap<&'a str, String>,
    /// The paths of synced folders by workflow id.
    folders: BTreeMap<&'a str, &'a str>,
    webhooks: BTreeMap<&'a str, String>,
    subscriptions: BTreeMap<&'a str, &'a SubscriptionRow>,
}

impl<'a> Names<'a> {
    pub(super) fn new(listings: &'a Listings, workflows: &'a [SyncedWorkflow]) -> Names<'a> {
        let sources = listings.sources.iter();
        let sources = sources.map(|row| (row.id.as_str(), row.shown_name()));
        let named = workflows.iter();
        let named = named.map(|workflow| (workflow.place.as_str(), workflow.name()));
        let webhooks = listings.webhooks.iter();
        let keys = webhook_names(
            webhooks
                .clone()
                .map(|row| (row.name.as_deref(), row.url.as_str())),
        );
        let folders = workflows.iter();
        let folders =
            folders.filter_map(|workflow| Some((workflow.id()?, workflow.place.as_str())));
        let subscriptions = listings.subscriptions.iter();
        Names {
            sources: slugs(sources),
            workflows: slugs(named),
            folders: folders.collect(),
            webhooks: webhooks.map(|row| row.id.as_str()).zip(keys).collect(),
            subscriptions: subscriptions.map(|row| (row.id.as_str(), row)).collect(),
        }
    }

    pub(super) fn source(&self, id: &str) -> Option<&str> {
        self.sources.get(id).map(String::as_str)
    }

    pub(super) fn webhook(&self, id: &str) -> Option<&str> {
        self.webhooks.get(id).map(String::as_str)
    }

    /// The slug of a workflow, by the path of its synced folder.
    pub(super) fn workflow_at(&self, place: &str) -> Option<&str> {
        self.workflows.get(place).map(String::as_str)
    }

    /// The slug of a workflow by its id.
    pub(super) fn workflow(&self, id: &str) -> Option<&str> {
        self.workflow_at(self.folders.get(id)?)
    }

    pub(super) fn subscription(&self, id: &str) -> Option<&'a SubscriptionRow> {
        self.subscriptions.get(id).copied()
    }

    /// The name of an emitter or a listener in the folder, such as `sources/<slug>`.
    pub(super) fn in_folder(&self, id: &str) -> Option<String> {
        let source = self.source(id).map(source_name);
        let workflow = || self.workflow(id).map(workflow_name);
        let webhook = || self.webhook(id).map(webhook_name);
        source.or_else(workflow).or_else(webhook)
    }

    /// A source or workflow as the trigger of a workflow names it. A source hides a workflow with the same slug.
    pub(super) fn emitter(&self, id: &str) -> Option<&str> {
        let is_hidden = |slug: &&str| self.sources.values().any(|source| source == slug);
        let workflow = || self.workflow(id).filter(|slug| !is_hidden(slug));
        self.source(id).or_else(workflow)
    }
}

/// Unique slugs in the given order.
fn slugs<'a>(named: impl Iterator<Item = (&'a str, String)>) -> BTreeMap<&'a str, String> {
    let mut slugs: BTreeMap<&str, String> = BTreeMap::new();
    for (id, name) in named {
        let slug = unique_slug(&slugify(&name), |taken| {
            slugs.values().any(|slug| slug == taken)
        });
        slugs.insert(id, slug);
    }
    slugs
}
