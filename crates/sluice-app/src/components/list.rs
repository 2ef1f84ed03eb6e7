//! Lists of components: saved ones, published ones, and the registry.

use std::sync::Arc;

use sluice_engine::EngineError;
use sluice_model::{ComponentKind, ComponentShape, UserId};
use sluice_store::{
    Conn, Page, StoreError,
    components::{self, Component},
    registry::Shelf,
};

use super::{
    apps::apps_of,
    entry::Entry,
    known_apps::known_apps,
    service::Components,
    shelf_cache::ShelfCache,
    words::{Rank, Text, Words},
};
use crate::listing::Listing;

/// The list to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Saved by the user: the newest of each key, or of each name without a key.
    Own,
    /// Published by the user: the newest version of each key.
    Published,
    /// Published by the operator: the newest version of each key.
    Registry,
}

/// Which components are listed.
#[derive(Debug, Clone, Default)]
pub struct ComponentFilter {
    /// Beginnings of words that have to be in the key, the name, the description or the app.
    pub words: String,
    /// The slug of an app.
    pub app: Option<String>,
    pub kind: Option<ComponentKind>,
}

/// A component in a list.
pub struct ListedComponent {
    pub component: Component,
    /// The slug of the app that it is for, if this server knows the app.
    pub app: Option<String>,
    /// When it was saved, or published.
    pub at_ms: i64,
    /// Its position in the order of the list. Greater ones come first.
    pub rank: i64,
}

impl Components {
    /// The components of a scope: newest first, or best match first when words are given.
    pub async fn list(
        &self,
        user: &UserId,
        scope: Scope,
        filter: ComponentFilter,
        page: Page,
    ) -> Result<Listing<ListedComponent>, EngineError> {
        let user = user.clone();
        let shelves = Arc::clone(&self.shelves);
        let listing = self.infra.store.read(move |c| {
            let words = Words::of(&filter.words);
            let mut entries = entries(c, &shelves, &user, scope, &words)?;
            entries.retain(|entry| filter.admits(entry) && words.are_together_in(entry));
            let ranked = ranked(entries, &words);
            let total = ranked.len() as u64;
            let mut rows = page
                .of(ranked, |(rank, entry)| (*rank, entry.id.as_str()))
                .into_iter()
                .map(|(rank, entry)| listed(c, &entry, rank))
                .collect::<Result<Vec<_>, _>>()?;
            let shapes = rows.iter().map(|row| &row.component);
            let mut apps = known_apps(c, shapes.map(|one| (&one.id, &one.shape)))?;
            for row in &mut rows {
                row.app = apps.remove(&row.component.id);
            }
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

/// The components of a scope that contain all words, in the order of their keys.
fn entries(
    c: &mut dyn Conn,
    shelves: &ShelfCache,
    user: &UserId,
    scope: Scope,
    words: &Words,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let shelf = match scope {
        Scope::Own => {
            let saved = components::newest(c, user)?;
            let mut saved: Vec<Arc<Entry>> = saved
                .into_iter()
                .filter(|saved| words.are_all_in(text(&saved.shape)))
                .map(|saved| Arc::new(Entry::from(saved)))
                .collect();
            saved.sort_unstable_by(|a, b| (&a.key, &a.id).cmp(&(&b.key, &b.id)));
            return Ok(saved);
        }
        Scope::Published => Shelf::Account(user.clone()),
        Scope::Registry => Shelf::Server,
    };
    let entries = shelves.entries(c, &shelf)?;
    if words.as_slice().is_empty() {
        Ok(entries.all().cloned().collect())
    } else {
        entries.matching(c, words.as_slice())
    }
}

/// The entries in the order of the list, each with its position. Equal matches stay in the order of their keys.
fn ranked(mut entries: Vec<Arc<Entry>>, words: &Words) -> Vec<(i64, Arc<Entry>)> {
    if words.as_slice().is_empty() {
        entries.sort_unstable_by(|a, b| (b.at_ms, &b.id).cmp(&(a.at_ms, &a.id)));
        return entries
            .into_iter()
            .map(|entry| (entry.at_ms, entry))
            .collect();
    }
    let ranks = entries.iter().map(|entry| words.rank(&entry.searchable));
    let mut ranked: Vec<(Rank, usize)> = ranks.zip(0..).collect();
    ranked.sort_unstable();
    let ranked = ranked
        .into_iter()
        .map(|(_, number)| Arc::clone(&entries[number]));
    (0..).map(|place: i64| -place).zip(ranked).collect()
}

impl ComponentFilter {
    fn admits(&self, entry: &Entry) -> bool {
        let app = self.app.as_deref();
        app.is_none_or(|app| entry.is_for(app)) && self.kind.is_none_or(|kind| entry.kind == kind)
    }
}

fn text(shape: &ComponentShape) -> Text<'_> {
    Text {
        key: shape.key.as_deref().unwrap_or_default(),
        name: &shape.name,
        description: shape.description.as_deref().unwrap_or_default(),
        apps: apps_of(shape).collect(),
    }
}

fn listed(c: &mut dyn Conn, entry: &Entry, rank: i64) -> Result<ListedComponent, StoreError> {
    let component = components::get_for_run(c, &entry.id)?
        .ok_or_else(|| StoreError::Corrupt(format!("{} is listed and not stored", entry.id)))?;
    Ok(ListedComponent {
        component,
        app: None,
        at_ms: entry.at_ms,
        rank,
    })
}
