//! Lists of components: saved ones, published ones, and the registry.

use sluice_engine::EngineError;
use sluice_model::{ComponentId, ComponentKind, ComponentShape, UserId};
use sluice_store::{
    Conn, Page, StoreError,
    components::{self, Component, Outline},
    registry::{self, RegistryEntry, Shelf},
};

use super::{
    service::{Components, apps_of},
    words::{Text, Words},
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
    /// When it was saved, or published.
    pub at_ms: i64,
    /// Its position in the order of the list. Greater ones come first.
    pub rank: i64,
}

/// The part of a component that decides whether and where it is listed.
struct Entry {
    id: ComponentId,
    at_ms: i64,
    key: String,
    name: String,
    apps: Vec<String>,
    kind: ComponentKind,
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
        let listing = self.infra.store.read(move |c| {
            let words = Words::of(&filter.words);
            let mut entries = entries(c, &user, scope, &words)?;
            entries.retain(|entry| {
                let app = entry.apps.first().map(String::as_str);
                filter.admits(entry) && words.are_together_in(&entry.key, &entry.name, app)
            });
            let ranked = ranked(entries, &words);
            let total = ranked.len() as u64;
            let rows = page
                .of(ranked, |(rank, entry)| (*rank, entry.id.as_str()))
                .into_iter()
                .map(|(rank, entry)| entry.listed(c, rank))
                .collect::<Result<_, _>>()?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

/// The components of a scope that contain all words, unordered.
fn entries(
    c: &mut dyn Conn,
    user: &UserId,
    scope: Scope,
    words: &Words,
) -> Result<Vec<Entry>, StoreError> {
    let shelf = match scope {
        Scope::Own => {
            let saved = components::newest(c, user)?;
            let saved = saved.into_iter();
            return Ok(saved
                .filter(|saved| words.are_all_in(text(&saved.shape)))
                .map(Entry::from)
                .collect());
        }
        Scope::Published => Shelf::Account(user.clone()),
        Scope::Registry => Shelf::Server,
    };
    let found = if words.as_slice().is_empty() {
        registry::entries(c, &shelf)?
    } else {
        registry::matching(c, &shelf, words.as_slice())?
    };
    Ok(found.into_iter().map(Entry::from).collect())
}

/// The entries in the order of the list, each with its position.
fn ranked(mut entries: Vec<Entry>, words: &Words) -> Vec<(i64, Entry)> {
    if words.as_slice().is_empty() {
        entries.sort_by(|a, b| (b.at_ms, &b.id).cmp(&(a.at_ms, &a.id)));
        return entries
            .into_iter()
            .map(|entry| (entry.at_ms, entry))
            .collect();
    }
    entries.sort_by_cached_key(|entry| {
        let app = entry.apps.first().map(String::as_str);
        let rank = words.rank(&entry.key, &entry.name, app);
        (rank, entry.key.clone(), entry.id.clone())
    });
    (0..).map(|place: i64| -place).zip(entries).collect()
}

impl ComponentFilter {
    fn admits(&self, entry: &Entry) -> bool {
        let app = self.app.as_deref();
        app.is_none_or(|app| is_for(app, &entry.key, &entry.apps))
            && self.kind.is_none_or(|kind| entry.kind == kind)
    }
}

/// A component without an app is for the one that its key begins with, as the console shows it.
pub(super) fn is_for(app: &str, key: &str, apps: &[String]) -> bool {
    let is_named = || key.split('-').next() == Some(app);
    apps.iter().any(|own| own == app) || (apps.is_empty() && is_named())
}

fn text(shape: &ComponentShape) -> Text<'_> {
    Text {
        key: shape.key.as_deref().unwrap_or_default(),
        name: &shape.name,
        description: shape.description.as_deref().unwrap_or_default(),
        apps: apps_of(shape).collect(),
    }
}

impl Entry {
    fn listed(self, c: &mut dyn Conn, rank: i64) -> Result<ListedComponent, StoreError> {
        let component = components::get_for_run(c, &self.id)?
            .ok_or_else(|| StoreError::Corrupt(format!("{} is listed and not stored", self.id)))?;
        Ok(ListedComponent {
            component,
            at_ms: self.at_ms,
            rank,
        })
    }
}

impl From<Outline> for Entry {
    fn from(saved: Outline) -> Entry {
        let Outline {
            id,
            created_at,
            shape,
        } = saved;
        Entry {
            id,
            at_ms: created_at,
            apps: apps_of(&shape).map(str::to_owned).collect(),
            key: shape.key.unwrap_or_default(),
            name: shape.name,
            kind: shape.kind,
        }
    }
}

impl From<RegistryEntry> for Entry {
    fn from(entry: RegistryEntry) -> Entry {
        let RegistryEntry {
            key,
            component_id,
            app,
            kind,
            name,
            published_at,
        } = entry;
        Entry {
            id: component_id,
            at_ms: published_at,
            key,
            name,
            apps: app.into_iter().collect(),
            kind,
        }
    }
}
