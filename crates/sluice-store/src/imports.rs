//! Results of imports of component trees, one row for each file, so that the next import can skip unchanged files.

use std::collections::BTreeMap;

use sluice_model::CodeError;

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::{Result, StoreError},
    params,
    row::{FromRow, Row, to_json},
};

/// The result of the last import for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub tree: String,
    pub path: String,
    /// The files that the component was made of, each with the hash of its contents; empty for one that was looked for in vain.
    pub files: BTreeMap<String, String>,
    /// The last registered version; it stays when a later import fails.
    pub registered: Option<RegisteredVersion>,
    /// The errors of the last import, if it failed.
    pub errors: Vec<CodeError>,
}

/// The registry entry of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredVersion {
    pub key: String,
    pub version: String,
}

impl FromRow for Import {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let registered = match (row.get(3)?, row.get(4)?) {
            (Some(key), Some(version)) => Some(RegisteredVersion { key, version }),
            (None, None) => None,
            _ => return Err(StoreError::Corrupt("an import with half a name".to_owned())),
        };
        Ok(Import {
            tree: row.get(0)?,
            path: row.get(1)?,
            files: row.json(2)?,
            registered,
            errors: row.json(5)?,
        })
    }
}

/// Replaces the result of a file. If the new result registers nothing, the registered version stays.
pub fn record(c: &mut dyn Conn, import: &Import) -> Result<()> {
    let Import {
        tree,
        path,
        files,
        registered,
        errors,
    } = import;
    let key = registered.as_ref().map(|registered| &registered.key);
    let version = registered.as_ref().map(|registered| &registered.version);
    c.execute(
        "INSERT INTO imports (tree, path, files, key, version, errors) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (tree, path) DO UPDATE SET \
         files = excluded.files, key = COALESCE(excluded.key, imports.key), \
         version = COALESCE(excluded.version, imports.version), errors = excluded.errors",
        params![
            tree,
            path,
            &to_json(files)?,
            key,
            version,
            &to_json(errors)?
        ],
    )?;
    Ok(())
}

/// Up to `limit` files of a tree, by path, from behind `after`.
pub fn list(c: &mut dyn Conn, tree: &str, after: &str, limit: u32) -> Result<Vec<Import>> {
    query_all(
        c,
        "SELECT tree, path, files, key, version, errors FROM imports \
         WHERE tree = ?1 AND path > ?2 ORDER BY path LIMIT ?3",
        params![tree, after, limit],
    )
}

/// How many files [`list`] has in all.
pub fn count(c: &mut dyn Conn, tree: &str) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM imports WHERE tree = ?1";
    query_one(c, sql, params![tree])
}

/// Which file of a tree a key was registered from.
pub fn path_of_key(c: &mut dyn Conn, tree: &str, key: &str) -> Result<Option<String>> {
    let sql = "SELECT path FROM imports WHERE tree = ?1 AND key = ?2 ORDER BY path LIMIT 1";
    query_opt(c, sql, params![tree, key])
}

/// Forgets a file, for one that has left its tree. False when it is not known.
pub fn forget(c: &mut dyn Conn, tree: &str, path: &str) -> Result<bool> {
    let sql = "DELETE FROM imports WHERE tree = ?1 AND path = ?2";
    Ok(c.execute(sql, params![tree, path])? == 1)
}

/// Forgets the files that a key was imported from, so that the next import registers it again.
pub(crate) fn forget_key(c: &mut dyn Conn, key: &str) -> Result<()> {
    c.execute("DELETE FROM imports WHERE key = ?1", params![key])?;
    Ok(())
}
