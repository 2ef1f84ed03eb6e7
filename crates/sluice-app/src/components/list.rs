//! Lists of components: saved ones, published ones, and the registry.

use sluice_engine::EngineError;
use sluice_model::{ComponentId, ComponentKind, UserId};
use sluice_store::{
    Conn, Page, StoreError,
    components::{self, Component, Outline},
    registry::{self, Publication, Shelf},
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
    /// Words that have to be in the key, the name, the description or the app.
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
}

/// The searchable part of a component, without its code.
pub(super) struct Entry {
    id: ComponentId,
    at_ms: i64,
    pub(super) key: Option<String>,
    name: String,
    description: Option<String>,
    apps: Vec<String>,
    pub(super) kind: ComponentKind,
}

impl Components {
    /// The components of a scope, newest first.
    pub async fn list(
        &self,
        user: &UserId,
        scope: Scope,
        filter: ComponentFilter,
        page: Page,
    ) -> Result<Listing<ListedComponent>, EngineError> {
        let user = user.clone();
        let listing = self.infra.store.read(move |c| {
            let mut entries = entries(c, &user, scope)?;
            let words = Words::of(&filter.words);
            entries.retain(|entry| {
                entry.is_for(filter.app.as_deref())
                    && filter.kind.is_none_or(|kind| entry.kind == kind)
                    && words.are_all_in(entry.text())
            });
            entries.sort_by(|a, b| (b.at_ms, &b.id).cmp(&(a.at_ms, &a.id)));
            let total = entries.len() as u64;
            let rows = page
                .of(entries, |entry| (entry.at_ms, entry.id.as_str()))
                .into_iter()
                .map(|entry| entry.listed(c))
                .collect::<Result<_, _>>()?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

/// All components of a scope, unordered.
pub(super) fn entries(
    c: &mut dyn Conn,
    user: &UserId,
    scope: Scope,
) -> Result<Vec<Entry>, StoreError> {
    let shelf = match scope {
        Scope::Own => {
            let saved = components::newest(c, user)?;
            return Ok(saved.into_iter().map(Entry::from).collect());
        }
        Scope::Published => Shelf::Account(user.clone()),
        Scope::Registry => Shelf::Server,
    };
    let published = registry::list(c, &shelf)?;
    Ok(published.into_iter().map(Entry::from).collect())
}

impl Entry {
    pub(super) fn is_for(&self, app: Option<&str>) -> bool {
        app.is_none_or(|app| self.apps.iter().any(|own| own == app))
    }

    pub(super) fn text(&self) -> Text<'_> {
        Text {
            key: self.key.as_deref().unwrap_or_default(),
            name: &self.name,
            description: self.description.as_deref().unwrap_or_default(),
            apps: &self.apps,
        }
    }

    fn listed(self, c: &mut dyn Conn) -> Result<ListedComponent, StoreError> {
        let component = components::get_for_run(c, &self.id)?
            .ok_or_else(|| StoreError::Corrupt(format!("{} is listed and not stored", self.id)))?;
        Ok(ListedComponent {
            component,
            at_ms: self.at_ms,
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
            key: shape.key,
            name: shape.name,
            description: shape.description,
            kind: shape.kind,
        }
    }
}

impl From<Publication> for Entry {
    fn from(publication: Publication) -> Entry {
        let Publication {
            component_id,
            published_at,
            key,
            name,
            description,
            app,
            kind,
            ..
        } = publication;
        Entry {
            id: component_id,
            at_ms: published_at,
            key: Some(key),
            name,
            description,
            apps: app.into_iter().collect(),
            kind,
        }
    }
}
