//! The key-value store of a source, `$.service.db`: JSON by key.

use sluice_model::EmitterId;

use crate::{
    conn::{Conn, query_all},
    error::{Result, StoreError},
    id_list::{IdList, is_among},
    params,
    row::{FromRow, Row},
};

/// PostgreSQL cannot index longer keys; SQLite could, but both must behave alike.
pub const MAX_KEY_BYTES: usize = 2_000;

struct Entry {
    key: String,
    json: String,
}

impl FromRow for Entry {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Entry {
            key: row.get(0)?,
            json: row.get(1)?,
        })
    }
}

/// All entries as pairs of key and JSON, by key.
pub fn load_all(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Vec<(String, String)>> {
    let entries: Vec<Entry> = query_all(
        c,
        "SELECT key, value FROM kv WHERE emitter_id = ?1 ORDER BY key",
        params![emitter],
    )?;
    Ok(entries
        .into_iter()
        .map(|entry| (entry.key, entry.json))
        .collect())
}

const SET: &str = "INSERT INTO kv (emitter_id, key, value) VALUES (?1, ?2, ?3) \
     ON CONFLICT (emitter_id, key) DO UPDATE SET value = excluded.value";

/// Rejects keys over [`MAX_KEY_BYTES`].
pub fn set(c: &mut dyn Conn, emitter: &EmitterId, key: &str, json: &str) -> Result<()> {
    check_key(key)?;
    c.execute(SET, params![emitter, key, json]).map(drop)
}

fn check_key(key: &str) -> Result<()> {
    if key.len() > MAX_KEY_BYTES {
        return Err(StoreError::Invalid(format!(
            "a key of {} bytes, more than {MAX_KEY_BYTES}",
            key.len()
        )));
    }
    Ok(())
}

/// Sets keys to JSON, or deletes those without. Each key is given once. Deferred.
pub fn write_all<'a>(
    c: &mut dyn Conn,
    emitter: &'a EmitterId,
    writes: impl Iterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<()> {
    let (mut set, mut deleted) = (Vec::new(), Vec::new());
    for (key, json) in writes {
        match json {
            Some(json) => {
                check_key(key)?;
                set.extend_from_slice(params![emitter, key, json]);
            }
            None => deleted.push(key),
        }
    }
    c.insert_later(SET, 3, &set)?;
    if deleted.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "DELETE FROM kv WHERE emitter_id = ?1 AND {}",
        is_among(c.dialect(), "key", "?2")
    );
    c.execute_later(&sql, params![emitter, &IdList::new(&deleted)?])
}

pub fn delete(c: &mut dyn Conn, emitter: &EmitterId, key: &str) -> Result<()> {
    c.execute(
        "DELETE FROM kv WHERE emitter_id = ?1 AND key = ?2",
        params![emitter, key],
    )?;
    Ok(())
}
