//! A component in a list, without its code and its shape: what decides whether and where it is listed.

use sluice_model::{ComponentId, ComponentKind};
use sluice_store::{components::Outline, registry::RegistryEntry};

use super::{
    apps::{app_in_key, apps_of},
    searchable::Searchable,
};

pub(super) struct Entry {
    pub(super) id: ComponentId,
    pub(super) at_ms: i64,
    pub(super) key: String,
    pub(super) name: String,
    pub(super) apps: Vec<String>,
    pub(super) kind: ComponentKind,
    pub(super) searchable: Searchable,
}

impl Entry {
    /// The app that it is for.
    pub(super) fn app(&self) -> Option<&str> {
        self.apps.first().map(String::as_str)
    }

    /// A component without an app is for the one that its key begins with.
    pub(super) fn is_for(&self, app: &str) -> bool {
        let is_named = || app_in_key(&self.key) == Some(app);
        self.apps.iter().any(|own| own == app) || (self.apps.is_empty() && is_named())
    }
}

impl From<Outline> for Entry {
    fn from(saved: Outline) -> Entry {
        let Outline {
            id,
            created_at,
            shape,
        } = saved;
        let apps: Vec<String> = apps_of(&shape).map(str::to_owned).collect();
        let key = shape.key.unwrap_or_default();
        Entry {
            id,
            at_ms: created_at,
            searchable: Searchable::of(&key, &shape.name, apps.first().map(String::as_str)),
            key,
            name: shape.name,
            apps,
            kind: shape.kind,
        }
    }
}

impl From<RegistryEntry> for Entry {
    fn from(entry: RegistryEntry) -> Entry {
        let RegistryEntry {
            id: _,
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
            searchable: Searchable::of(&key, &name, app.as_deref()),
            key,
            name,
            apps: app.into_iter().collect(),
            kind,
        }
    }
}
