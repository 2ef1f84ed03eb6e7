//! Published components, by key and version: on the shelf of an account, or on that of the whole server.

mod change_log;
mod imported;
mod publication;
mod search;

use std::collections::HashMap;

use sluice_model::{ComponentId, ComponentKind, newest_version};

use crate::{
    components::{self, Component, SELECT, query_component},
    conn::{Conn, query_all, query_opt},
    error::Result,
    imported_files, params,
    row::{FromRow, Row},
};

pub use change_log::ChangeLog;
pub use imported::{Registration, compare, prune, register, revert};
use publication::SERVER;
pub use publication::{Publication, Shelf};
pub(crate) use search::index_all;
pub use search::{RegistryEntry, entries, matching, words_of};

/// Publishes a component that is stored. False when this version is on the shelf already: then nothing changes.
pub fn publish(c: &mut dyn Conn, publication: &Publication) -> Result<bool> {
    let Publication {
        shelf,
        key,
        version,
        component_id,
        app,
        kind,
        name,
        description,
        published_at,
    } = publication;
    begin_change(c, shelf)?;
    let added = c.execute(
        "INSERT INTO registry (shelf, key, version, newest, component_id, app, kind, name, \
         description, published_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
         ON CONFLICT (shelf, key, version) DO NOTHING",
        params![
            shelf,
            key,
            version,
            false,
            component_id,
            app.as_ref(),
            *kind,
            name,
            description.as_ref(),
            *published_at
        ],
    )?;
    if added == 1 {
        search::index(c, publication)?;
        find_newest(c, shelf, key)?;
    }
    Ok(added == 1)
}

/// Takes every version of a key from the shelf, and forgets that it was imported. False when there is none.
pub fn unpublish(c: &mut dyn Conn, shelf: &Shelf, key: &str) -> Result<bool> {
    remove_all(c, shelf, key, None)
}

fn remove_all(
    c: &mut dyn Conn,
    shelf: &Shelf,
    key: &str,
    log: Option<ChangeLog<'_>>,
) -> Result<bool> {
    begin_change(c, shelf)?;
    let sql = "SELECT shelf, key, version, component_id, app, kind, name, description, \
               published_at FROM registry WHERE shelf = ?1 AND key = ?2";
    let published: Vec<Publication> = query_all(c, sql, params![shelf, key])?;
    for version in &published {
        if let Some(log) = log {
            let old = Some(&version.component_id);
            log.record(c, (key, &version.version), old, None)?;
        }
        take_down(c, shelf, key, &version.version, &version.component_id)?;
    }
    if *shelf == Shelf::Server {
        imported_files::forget_key(c, key)?;
    }
    Ok(!published.is_empty())
}

/// The newest version under a key.
pub fn newest(c: &mut dyn Conn, shelf: &Shelf, key: &str) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} JOIN registry r ON r.component_id = c.id \
         WHERE r.shelf = ?1 AND r.key = ?2 AND r.newest"
    );
    query_component(c, &sql, params![shelf, key])
}

/// The component with this id, when it is published on the server.
pub fn by_id(c: &mut dyn Conn, id: &ComponentId) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} WHERE c.id = ?1 AND EXISTS \
         (SELECT 1 FROM registry WHERE component_id = c.id AND shelf = ?2)"
    );
    query_component(c, &sql, params![id, SERVER])
}

/// How many components the server's registry has for an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AppComponents {
    pub sources: u64,
    pub actions: u64,
}

/// The components of one app and kind.
struct KindCount {
    app: String,
    kind: ComponentKind,
    count: u64,
}

impl FromRow for KindCount {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(KindCount {
            app: row.get(0)?,
            kind: row.get(1)?,
            count: row.get(2)?,
        })
    }
}

/// The components of the server's registry, counted by the slug of their app.
pub fn components_by_app(c: &mut dyn Conn) -> Result<HashMap<String, AppComponents>> {
    let sql = "SELECT app, kind, COUNT(*) FROM registry \
               WHERE shelf = ?1 AND newest AND app IS NOT NULL GROUP BY app, kind";
    let counts: Vec<KindCount> = query_all(c, sql, params![SERVER])?;
    let mut by_app: HashMap<String, AppComponents> = HashMap::new();
    for KindCount { app, kind, count } in counts {
        let components = by_app.entry(app).or_default();
        match kind {
            ComponentKind::Source => components.sources = count,
            ComponentKind::Action => components.actions = count,
        }
    }
    Ok(by_app)
}

fn take_down(
    c: &mut dyn Conn,
    shelf: &Shelf,
    key: &str,
    version: &str,
    component: &ComponentId,
) -> Result<()> {
    c.execute(
        "DELETE FROM registry WHERE shelf = ?1 AND key = ?2 AND version = ?3",
        params![shelf, key, version],
    )?;
    components::remove_unused(c, component)
}

/// Counts a change of a shelf, and locks the shelf until the end of the transaction. Two changes at once would not see each
/// other's versions, and both mark a newest one.
fn begin_change(c: &mut dyn Conn, shelf: &Shelf) -> Result<()> {
    c.execute(
        "INSERT INTO registry_shelves (shelf, generation) VALUES (?1, 1) ON CONFLICT (shelf) \
         DO UPDATE SET generation = registry_shelves.generation + 1",
        params![shelf],
    )?;
    Ok(())
}

/// How often a shelf has changed. What was read from it is up to date as long as the number is the same.
pub fn generation(c: &mut dyn Conn, shelf: &Shelf) -> Result<i64> {
    let sql = "SELECT generation FROM registry_shelves WHERE shelf = ?1";
    Ok(query_opt(c, sql, params![shelf])?.unwrap_or_default())
}

/// Marks the newest version of a key, after one was added.
fn find_newest(c: &mut dyn Conn, shelf: &Shelf, key: &str) -> Result<()> {
    // Of versions that are not semantic, the one that was published last.
    let sql =
        "SELECT version FROM registry WHERE shelf = ?1 AND key = ?2 ORDER BY published_at, version";
    let versions: Vec<String> = query_all(c, sql, params![shelf, key])?;
    c.execute(
        "UPDATE registry SET newest = (version = ?3) WHERE shelf = ?1 AND key = ?2",
        params![shelf, key, newest_version(&versions).map(String::as_str)],
    )?;
    Ok(())
}
