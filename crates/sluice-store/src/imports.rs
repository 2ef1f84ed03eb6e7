//! Imports of component trees, and their changes to the registry. The last import of a tree can be undone.

use sluice_model::{ComponentId, ImportId, UserId};

use crate::{
    components,
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub id: ImportId,
    pub tree: String,
    pub user_id: UserId,
    pub created_at: i64,
}

/// An import that changed the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSummary {
    pub import: Import,
    /// New versions of components.
    pub added: u64,
    /// Versions that have other code now.
    pub replaced: u64,
    /// Versions that were removed.
    pub removed: u64,
}

/// A change of one version in the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportChange {
    pub key: String,
    pub version: String,
    /// The file of the component.
    pub path: String,
    pub old_component: Option<ComponentId>,
    pub new_component: Option<ComponentId>,
}

impl FromRow for Import {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Import {
            id: row.get(0)?,
            tree: row.get(1)?,
            user_id: row.get(2)?,
            created_at: row.get(3)?,
        })
    }
}

impl FromRow for ImportSummary {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ImportSummary {
            import: Import::from_row(row)?,
            added: row.get(4)?,
            replaced: row.get(5)?,
            removed: row.get(6)?,
        })
    }
}

impl FromRow for ImportChange {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ImportChange {
            key: row.get(0)?,
            version: row.get(1)?,
            path: row.get(2)?,
            old_component: row.get(3)?,
            new_component: row.get(4)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, import: &Import) -> Result<()> {
    let Import {
        id,
        tree,
        user_id,
        created_at,
    } = import;
    c.execute(
        "INSERT INTO imports (id, tree, user_id, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![id, tree, user_id, *created_at],
    )?;
    Ok(())
}

pub fn remove(c: &mut dyn Conn, id: &ImportId) -> Result<()> {
    c.execute("DELETE FROM imports WHERE id = ?1", params![id])?;
    Ok(())
}

/// The imports that changed something, newest first. There are few: one for each tree.
pub fn list(c: &mut dyn Conn) -> Result<Vec<ImportSummary>> {
    let sql = "SELECT i.id, i.tree, i.user_id, i.created_at, \
               SUM(CASE WHEN h.old_component IS NULL THEN 1 ELSE 0 END), \
               SUM(CASE WHEN h.old_component IS NOT NULL AND h.new_component IS NOT NULL THEN 1 ELSE 0 END), \
               SUM(CASE WHEN h.new_component IS NULL THEN 1 ELSE 0 END) \
               FROM imports i JOIN import_changes h ON h.import_id = i.id \
               GROUP BY i.id, i.tree, i.user_id, i.created_at ORDER BY i.created_at DESC, i.id DESC";
    query_all(c, sql, params![])
}

/// The last import of a tree that changed something.
pub fn last_of_tree(c: &mut dyn Conn, tree: &str) -> Result<Option<Import>> {
    let sql = "SELECT i.id, i.tree, i.user_id, i.created_at FROM imports i WHERE i.tree = ?1 \
               AND EXISTS (SELECT 1 FROM import_changes h WHERE h.import_id = i.id) \
               ORDER BY i.created_at DESC, i.id DESC LIMIT 1";
    query_opt(c, sql, params![tree])
}

pub fn get(c: &mut dyn Conn, id: &ImportId) -> Result<Option<Import>> {
    let sql = "SELECT id, tree, user_id, created_at FROM imports WHERE id = ?1";
    query_opt(c, sql, params![id])
}

/// The imports of a tree before this one.
pub fn older(c: &mut dyn Conn, tree: &str, id: &ImportId) -> Result<Vec<ImportId>> {
    let sql = "SELECT id FROM imports WHERE tree = ?1 AND id <> ?2";
    query_all(c, sql, params![tree, id])
}

/// Records a change. Of two changes of one version, the first knows the component before the import.
pub fn record_change(c: &mut dyn Conn, id: &ImportId, change: &ImportChange) -> Result<()> {
    let ImportChange {
        key,
        version,
        path,
        old_component,
        new_component,
    } = change;
    c.execute(
        "INSERT INTO import_changes (import_id, key, version, path, old_component, new_component) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (import_id, key, version) DO UPDATE SET \
         path = excluded.path, new_component = excluded.new_component",
        params![
            id,
            key,
            version,
            path,
            old_component.as_ref(),
            new_component.as_ref()
        ],
    )?;
    Ok(())
}

/// Up to `limit` changes of an import. They are removed.
pub fn take_changes(c: &mut dyn Conn, id: &ImportId, limit: u32) -> Result<Vec<ImportChange>> {
    let sql = "SELECT key, version, path, old_component, new_component FROM import_changes \
               WHERE import_id = ?1 ORDER BY key, version LIMIT ?2";
    let changes: Vec<ImportChange> = query_all(c, sql, params![id, limit])?;
    for change in &changes {
        c.execute(
            "DELETE FROM import_changes WHERE import_id = ?1 AND key = ?2 AND version = ?3",
            params![id, &change.key, &change.version],
        )?;
    }
    Ok(changes)
}

/// Removes up to `limit` changes of an import, with the components that were kept for them. Returns their number.
pub fn forget_changes(c: &mut dyn Conn, id: &ImportId, limit: u32) -> Result<usize> {
    let changes = take_changes(c, id, limit)?;
    for change in &changes {
        if let Some(old) = &change.old_component {
            components::remove_unused(c, old)?;
        }
    }
    Ok(changes.len())
}
