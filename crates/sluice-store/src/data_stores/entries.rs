//! The entries of data stores: JSON by key, some of them for a time only.

use super::{StoreRef, remove_expired, resize, touch};
use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// With the name of its user and store, the longest key that PostgreSQL can index.
pub const MAX_KEY_BYTES: usize = 2_000;

const UNEXPIRED: &str = "(expires_at IS NULL OR expires_at > ?3)";

/// Until when an entry stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// As it was; a new entry stays.
    Keep,
    Never,
    At(i64),
}

/// Whether a value was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteResult {
    Stored,
    /// The store would have become larger than it may.
    Full,
}

/// The JSON stored under a key.
pub fn get(
    c: &mut dyn Conn,
    store: StoreRef<'_>,
    key: &str,
    now_ms: i64,
) -> Result<Option<String>> {
    let sql = format!(
        "SELECT value FROM data_store_entries WHERE user_id = ?1 AND store = ?2 AND {UNEXPIRED} \
         AND key = ?4"
    );
    query_opt(c, &sql, params![store.user, store.name, now_ms, key])
}

pub fn has(c: &mut dyn Conn, store: StoreRef<'_>, key: &str, now_ms: i64) -> Result<bool> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM data_store_entries WHERE user_id = ?1 AND store = ?2 \
         AND {UNEXPIRED} AND key = ?4)"
    );
    query_one(c, &sql, params![store.user, store.name, now_ms, key])
}

/// Stores a value, unless that makes the store larger than `max_bytes`.
pub fn set(
    c: &mut dyn Conn,
    store: StoreRef<'_>,
    (key, json): (&str, &str),
    expiry: Expiry,
    max_bytes: u64,
    now_ms: i64,
) -> Result<WriteResult> {
    let StoreRef { user, name } = store;
    c.execute(
        "INSERT INTO data_stores (user_id, name, bytes, created_at, updated_at) \
         VALUES (?1, ?2, 0, ?3, ?3) \
         ON CONFLICT (user_id, name) DO UPDATE SET updated_at = excluded.updated_at",
        params![user, name, now_ms],
    )?;
    let bytes = (key.len() + json.len()) as u64;
    let mut before = stored(c, store, key)?;
    if before.leaves_no_room(bytes, max_bytes) {
        remove_expired(c, store, u32::MAX, now_ms)?;
        before = stored(c, store, key)?;
        if before.leaves_no_room(bytes, max_bytes) {
            return Ok(WriteResult::Full);
        }
    }
    let expires_at = match expiry {
        Expiry::Keep => before.expires_at.filter(|at| *at > now_ms),
        Expiry::Never => None,
        Expiry::At(at) => Some(at),
    };
    c.execute(
        "INSERT INTO data_store_entries (user_id, store, key, bytes, expires_at, value) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (user_id, store, key) DO UPDATE SET \
         bytes = excluded.bytes, expires_at = excluded.expires_at, value = excluded.value",
        params![user, name, key, bytes, expires_at, json],
    )?;
    resize(c, store, before.bytes, bytes)?;
    Ok(WriteResult::Stored)
}

/// The stored entry before a change.
struct Before {
    in_all: u64,
    bytes: u64,
    expires_at: Option<i64>,
}

impl Before {
    /// A value that is no larger than the one before is always taken.
    fn leaves_no_room(&self, bytes: u64, max_bytes: u64) -> bool {
        bytes > self.bytes && self.in_all.saturating_sub(self.bytes) + bytes > max_bytes
    }
}

impl FromRow for Before {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Before {
            in_all: row.get(0)?,
            bytes: row.get::<Option<u64>>(1)?.unwrap_or(0),
            expires_at: row.get(2)?,
        })
    }
}

fn stored(c: &mut dyn Conn, store: StoreRef<'_>, key: &str) -> Result<Before> {
    query_one(
        c,
        "SELECT s.bytes, e.bytes, e.expires_at FROM data_stores s LEFT JOIN data_store_entries e \
         ON e.user_id = s.user_id AND e.store = s.name AND e.key = ?3 \
         WHERE s.user_id = ?1 AND s.name = ?2",
        params![store.user, store.name, key],
    )
}

/// Sets until when an entry stays. Returns whether it existed.
pub fn set_expiry(
    c: &mut dyn Conn,
    store: StoreRef<'_>,
    key: &str,
    expires_at: Option<i64>,
    now_ms: i64,
) -> Result<bool> {
    let StoreRef { user, name } = store;
    let sql = format!(
        "UPDATE data_store_entries SET expires_at = ?5 \
         WHERE user_id = ?1 AND store = ?2 AND {UNEXPIRED} AND key = ?4"
    );
    let changed = touch(c, store, now_ms)?
        && c.execute(&sql, params![user, name, now_ms, key, expires_at])? == 1;
    Ok(changed)
}

/// Removes an entry. Returns whether it existed.
pub fn delete(c: &mut dyn Conn, store: StoreRef<'_>, key: &str, now_ms: i64) -> Result<bool> {
    let found = has(c, store, key, now_ms)?;
    if touch(c, store, now_ms)? {
        let removed: Option<u64> = query_opt(
            c,
            "DELETE FROM data_store_entries WHERE user_id = ?1 AND store = ?2 AND key = ?3 \
             RETURNING bytes",
            params![store.user, store.name, key],
        )?;
        resize(c, store, removed.unwrap_or(0), 0)?;
    }
    Ok(found)
}

/// Removes all entries; the store stays.
pub fn clear(c: &mut dyn Conn, store: StoreRef<'_>, now_ms: i64) -> Result<()> {
    let StoreRef { user, name } = store;
    if touch(c, store, now_ms)? {
        c.execute(
            "DELETE FROM data_store_entries WHERE user_id = ?1 AND store = ?2",
            params![user, name],
        )?;
        c.execute(
            "UPDATE data_stores SET bytes = 0 WHERE user_id = ?1 AND name = ?2",
            params![user, name],
        )?;
    }
    Ok(())
}

/// Keys that follow `after`, in order, `limit` at most. Before all keys is the empty one.
pub fn keys(
    c: &mut dyn Conn,
    store: StoreRef<'_>,
    after: &str,
    limit: u32,
    now_ms: i64,
) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT key FROM data_store_entries WHERE user_id = ?1 AND store = ?2 AND {UNEXPIRED} \
         AND key > ?4 ORDER BY key LIMIT ?5"
    );
    let StoreRef { user, name } = store;
    query_all(c, &sql, params![user, name, now_ms, after, limit])
}

/// One entry: its key and its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub json: String,
}

impl FromRow for Entry {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Entry {
            key: row.get(0)?,
            json: row.get(1)?,
        })
    }
}

struct Sized {
    key: String,
    bytes: u64,
}

impl FromRow for Sized {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Sized {
            key: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

/// Entries that follow `after`, by key: at most `limit`, and no more than fit into `max_bytes`, though always one.
pub fn page(
    c: &mut dyn Conn,
    store: StoreRef<'_>,
    after: &str,
    (limit, max_bytes): (u32, u64),
    now_ms: i64,
) -> Result<Vec<Entry>> {
    let StoreRef { user, name } = store;
    let select = |columns: &str, bound: &str| {
        format!(
            "SELECT {columns} FROM data_store_entries WHERE user_id = ?1 AND store = ?2 \
             AND {UNEXPIRED} AND key > ?4 AND {bound}"
        )
    };
    let sizes: Vec<Sized> = query_all(
        c,
        &select("key, bytes", "TRUE ORDER BY key LIMIT ?5"),
        params![user, name, now_ms, after, limit],
    )?;
    let mut total = 0;
    let fitting = sizes.iter().enumerate().take_while(|(index, one)| {
        total += one.bytes;
        *index == 0 || total <= max_bytes
    });
    let Some((_, last)) = fitting.last() else {
        return Ok(Vec::new());
    };
    query_all(
        c,
        &select("key, value", "key <= ?5 ORDER BY key"),
        params![user, name, now_ms, after, &last.key],
    )
}
