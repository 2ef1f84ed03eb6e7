//! Data stores: key-value stores that the sources of a user share, by name. A store exists once something was set in it.
//!
//! Every change takes the row of the store first, so that on PostgreSQL changes of one store come one after another and
//! its size stays true. Reads skip expired entries, and [`prune`] removes them.

pub mod entries;

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// Whose store it is, and its name.
#[derive(Debug, Clone, Copy)]
pub struct StoreRef<'a> {
    pub user: &'a UserId,
    pub name: &'a str,
}

/// A store as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataStore {
    pub name: String,
    pub bytes: u64,
    pub entries: u64,
    pub created_at: i64,
    pub updated_at: i64,
}

impl FromRow for DataStore {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(DataStore {
            name: row.get(0)?,
            bytes: row.get(1)?,
            entries: row.get(2)?,
            created_at: row.get(3)?,
            updated_at: row.get(4)?,
        })
    }
}

/// Part of a list by name: the stores that follow `after`, or those just before `before`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePage {
    pub limit: u32,
    pub after: Option<String>,
    pub before: Option<String>,
}

/// The user's stores, by name.
pub fn list(
    c: &mut dyn Conn,
    user: &UserId,
    page: &NamePage,
    now_ms: i64,
) -> Result<Vec<DataStore>> {
    let (bound, name) = match (&page.after, &page.before) {
        (None, Some(before)) => ("name < ?2 ORDER BY name DESC", before.as_str()),
        (after, _) => ("name > ?2 ORDER BY name", after.as_deref().unwrap_or("")),
    };
    let sql = format!(
        "SELECT name, bytes, (SELECT COUNT(*) FROM data_store_entries e WHERE e.user_id = s.user_id \
         AND e.store = s.name AND (e.expires_at IS NULL OR e.expires_at > ?3)), created_at, \
         updated_at FROM data_stores s WHERE user_id = ?1 AND {bound} LIMIT ?4"
    );
    let mut stores: Vec<DataStore> = query_all(c, &sql, params![user, name, now_ms, page.limit])?;
    stores.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(stores)
}

/// How many stores the user has.
pub fn count(c: &mut dyn Conn, user: &UserId) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM data_stores WHERE user_id = ?1",
        params![user],
    )
}

/// Removes a store with all its entries. Returns whether it existed.
pub fn remove(c: &mut dyn Conn, store: StoreRef<'_>) -> Result<bool> {
    let StoreRef { user, name } = store;
    let removed = c.execute(
        "DELETE FROM data_stores WHERE user_id = ?1 AND name = ?2",
        params![user, name],
    )?;
    c.execute(
        "DELETE FROM data_store_entries WHERE user_id = ?1 AND store = ?2",
        params![user, name],
    )?;
    Ok(removed == 1)
}

struct Owned {
    user: UserId,
    name: String,
}

impl FromRow for Owned {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Owned {
            user: row.get(0)?,
            name: row.get(1)?,
        })
    }
}

/// Removes expired entries of some stores of all users, `limit` entries of each at most. Returns whether there were any.
pub fn prune(c: &mut dyn Conn, limit: u32, now_ms: i64) -> Result<bool> {
    let stores: Vec<Owned> = query_all(
        c,
        "SELECT DISTINCT user_id, store FROM data_store_entries WHERE expires_at <= ?1 \
         ORDER BY user_id, store LIMIT 20",
        params![now_ms],
    )?;
    for Owned { user, name } in &stores {
        remove_expired(c, StoreRef { user, name }, limit, now_ms)?;
    }
    Ok(!stores.is_empty())
}

/// Returns how many bytes became free.
fn remove_expired(c: &mut dyn Conn, store: StoreRef<'_>, limit: u32, now_ms: i64) -> Result<u64> {
    let StoreRef { user, name } = store;
    lock(c, store)?;
    let removed: Vec<u64> = query_all(
        c,
        "DELETE FROM data_store_entries WHERE user_id = ?1 AND store = ?2 AND key IN (\
         SELECT key FROM data_store_entries WHERE user_id = ?1 AND store = ?2 \
         AND expires_at <= ?3 ORDER BY expires_at, key LIMIT ?4) RETURNING bytes",
        params![user, name, now_ms, limit],
    )?;
    let freed = removed.iter().sum();
    resize(c, store, freed, 0)?;
    Ok(freed)
}

fn lock(c: &mut dyn Conn, store: StoreRef<'_>) -> Result<()> {
    resize(c, store, 0, 0)
}

/// Takes the row of a store for a change of its entries; false when there is no such store.
fn touch(c: &mut dyn Conn, store: StoreRef<'_>, now_ms: i64) -> Result<bool> {
    let touched = c.execute(
        "UPDATE data_stores SET updated_at = ?3 WHERE user_id = ?1 AND name = ?2",
        params![store.user, store.name, now_ms],
    )?;
    Ok(touched == 1)
}

fn resize(c: &mut dyn Conn, store: StoreRef<'_>, old_bytes: u64, bytes: u64) -> Result<()> {
    c.execute(
        "UPDATE data_stores SET bytes = bytes - ?3 + ?4 WHERE user_id = ?1 AND name = ?2",
        params![store.user, store.name, old_bytes, bytes],
    )?;
    Ok(())
}
