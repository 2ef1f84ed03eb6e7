//! The files of imported trees, each with the result of its last import, so that the next import can skip unchanged files.

use std::collections::BTreeMap;

use sluice_model::ComponentFailure;

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::{Result, StoreError},
    params,
    row::{FromRow, Row, to_json},
};

/// The result of the last import for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    pub tree: String,
    pub path: String,
    /// The files that the component was made of, each with the hash of its contents; empty for one that was looked for in vain.
    pub files: BTreeMap<String, String>,
    /// The last registered version; it stays when a later import fails.
    pub registered: Option<RegisteredVersion>,
    /// Why the last import failed, if it did.
    pub failure: Option<ComponentFailure>,
}

/// The registry entry of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredVersion {
    pub key: String,
    pub version: String,
}

impl FromRow for ImportedFile {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let registered = match (row.get(3)?, row.get(4)?) {
            (Some(key), Some(version)) => Some(RegisteredVersion { key, version }),
            (None, None) => None,
            _ => return Err(StoreError::Corrupt("an import with half a name".to_owned())),
        };
        let failure: Option<String> = row.get(5)?;
        let failure = failure.map(|_| row.json(5)).transpose()?;
        Ok(ImportedFile {
            tree: row.get(0)?,
            path: row.get(1)?,
            files: row.json(2)?,
            registered,
            failure,
        })
    }
}

/// Replaces the result of a file. If the new result registers nothing, the registered version stays.
pub fn record(c: &mut dyn Conn, file: &ImportedFile) -> Result<()> {
    let ImportedFile {
        tree,
        path,
        files,
        registered,
        failure,
    } = file;
    let failure = failure.as_ref().map(to_json).transpose()?;
    let key = registered.as_ref().map(|registered| &registered.key);
    let version = registered.as_ref().map(|registered| &registered.version);
    c.execute(
        "INSERT INTO imported_files (tree, path, files, key, version, failure) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (tree, path) DO UPDATE SET \
         files = excluded.files, key = COALESCE(excluded.key, imported_files.key), \
         version = COALESCE(excluded.version, imported_files.version), \
         failure = excluded.failure",
        params![
            tree,
            path,
            &to_json(files)?,
            key,
            version,
            failure.as_deref()
        ],
    )?;
    Ok(())
}

/// Up to `limit` files of a tree, by path, from behind `after`.
pub fn list(c: &mut dyn Conn, tree: &str, after: &str, limit: u32) -> Result<Vec<ImportedFile>> {
    query_all(
        c,
        "SELECT tree, path, files, key, version, failure FROM imported_files \
         WHERE tree = ?1 AND path > ?2 ORDER BY path LIMIT ?3",
        params![tree, after, limit],
    )
}

/// How many files [`list`] has in all.
pub fn count(c: &mut dyn Conn, tree: &str) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM imported_files WHERE tree = ?1";
    query_one(c, sql, params![tree])
}

/// Which file of a tree a key was registered from.
pub fn path_of_key(c: &mut dyn Conn, tree: &str, key: &str) -> Result<Option<String>> {
    let sql = "SELECT path FROM imported_files WHERE tree = ?1 AND key = ?2 ORDER BY path LIMIT 1";
    query_opt(c, sql, params![tree, key])
}

/// Forgets a file, for one that has left its tree. False when it is not known.
pub fn forget(c: &mut dyn Conn, tree: &str, path: &str) -> Result<bool> {
    let sql = "DELETE FROM imported_files WHERE tree = ?1 AND path = ?2";
    Ok(c.execute(sql, params![tree, path])? == 1)
}

/// Forgets the files that a key was imported from, so that the next import registers it again.
pub(crate) fn forget_key(c: &mut dyn Conn, key: &str) -> Result<()> {
    c.execute("DELETE FROM imported_files WHERE key = ?1", params![key])?;
    Ok(())
}
