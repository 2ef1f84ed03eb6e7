//! Accepted work that has not been committed yet. A row is written before a request is answered,
//! and removed in the transaction that commits what its invocation did.

use std::collections::{HashMap, HashSet};

use sluice_model::{EmitterId, InvocationId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row},
    text_enum::text_enum,
};

/// What caused an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxKind {
    Http,
    Timer,
    /// A user asked for it through the API.
    Manual,
    /// An event of an emitter that the source listens to.
    Event,
    /// An event of the source's own whose time has come; the payload is its id.
    Held,
    /// A run of a workflow that goes on where it stopped; the payload has what it waited for.
    Continued,
}

text_enum!(InboxKind {
    Http = "http",
    Timer = "timer",
    Manual = "manual",
    Event = "event",
    Held = "held",
    Continued = "continued",
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewInboxItem<'a> {
    pub id: &'a InvocationId,
    pub kind: InboxKind,
    /// The interface prop it came through.
    pub prop: Option<&'a str>,
    /// The event, as JSON.
    pub payload: &'a str,
    pub accepted_at: i64,
    /// How many events in a row led here, each caused by the one before.
    pub depth: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    pub id: InvocationId,
    pub kind: InboxKind,
    pub prop: Option<String>,
    pub payload: String,
    pub attempts: u32,
    pub accepted_at: i64,
    pub depth: u32,
}

impl FromRow for InboxItem {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(InboxItem {
            id: row.get(0)?,
            kind: row.get(1)?,
            prop: row.get(2)?,
            payload: row.get(3)?,
            attempts: row.get(4)?,
            accepted_at: row.get(5)?,
            depth: row.get(6)?,
        })
    }
}

/// Conflicts on the id.
pub fn insert(c: &mut dyn Conn, emitter: &EmitterId, item: &NewInboxItem<'_>) -> Result<()> {
    let NewInboxItem {
        id,
        kind,
        prop,
        payload,
        accepted_at,
        depth,
    } = *item;
    c.execute(
        "INSERT INTO inbox (emitter_id, id, kind, prop, attempts, accepted_at, payload, depth) \
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7)",
        params![emitter, id, kind, prop, accepted_at, payload, depth],
    )?;
    Ok(())
}

/// Acknowledges an item; answers whether it was still there.
pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, id: &InvocationId) -> Result<bool> {
    let removed = c.execute(
        "DELETE FROM inbox WHERE emitter_id = ?1 AND id = ?2",
        params![emitter, id],
    )?;
    Ok(removed == 1)
}

/// How much a reader of the inbox can take, and what it has already.
pub struct Room<'a> {
    pub known: &'a HashSet<InvocationId>,
    pub rows: usize,
    pub bytes: u64,
}

/// A part of the inbox; `complete` when nothing lies beyond it.
#[derive(Debug, PartialEq, Eq)]
pub struct Waiting {
    pub items: Vec<InboxItem>,
    pub complete: bool,
}

struct Size {
    id: InvocationId,
    bytes: u64,
}

impl FromRow for Size {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Size {
            id: row.get(0)?,
            bytes: row.get(1)?,
        })
    }
}

/// What waits and is not known, oldest first. Sizes are read before payloads, so that a few huge ones
/// do not fill the memory; at least one item comes when there is any.
pub fn waiting(c: &mut dyn Conn, emitter: &EmitterId, room: &Room<'_>) -> Result<Waiting> {
    let limit = room.known.len() + room.rows;
    let sizes: Vec<Size> = query_all(
        c,
        "SELECT id, CAST(octet_length(payload) AS BIGINT) FROM inbox WHERE emitter_id = ?1 \
         ORDER BY id LIMIT ?2",
        params![emitter, limit as u64],
    )?;
    let mut complete = sizes.len() < limit;
    let mut items = Vec::new();
    let mut bytes = 0;
    for size in sizes.iter().filter(|size| !room.known.contains(&size.id)) {
        if bytes > 0 && bytes + size.bytes > room.bytes {
            complete = false;
            break;
        }
        bytes += size.bytes;
        items.extend(get(c, emitter, &size.id)?);
    }
    Ok(Waiting { items, complete })
}

/// One that waits.
pub fn get(c: &mut dyn Conn, emitter: &EmitterId, id: &InvocationId) -> Result<Option<InboxItem>> {
    query_opt(
        c,
        "SELECT id, kind, prop, payload, attempts, accepted_at, depth FROM inbox \
         WHERE emitter_id = ?1 AND id = ?2",
        params![emitter, id],
    )
}

/// What waits behind the first `keep`, oldest first. Runs that go on do not count among those that wait for their turn.
pub fn beyond(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    keep: u64,
    limit: u32,
) -> Result<Vec<InboxItem>> {
    query_all(
        c,
        "SELECT id, kind, prop, payload, attempts, accepted_at, depth FROM inbox \
         WHERE emitter_id = ?1 AND kind <> 'continued' ORDER BY id LIMIT ?2 OFFSET ?3",
        params![emitter, limit, keep],
    )
}

/// Whether an item is still to be acknowledged.
pub fn contains(c: &mut dyn Conn, emitter: &EmitterId, id: &InvocationId) -> Result<bool> {
    let found: u64 = query_one(
        c,
        "SELECT COUNT(*) FROM inbox WHERE emitter_id = ?1 AND id = ?2",
        params![emitter, id],
    )?;
    Ok(found == 1)
}

/// Counts one more attempt; answers how many there were, or `None` when the item is gone.
pub fn add_attempt(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    id: &InvocationId,
) -> Result<Option<u32>> {
    query_opt(
        c,
        "UPDATE inbox SET attempts = attempts + 1 WHERE emitter_id = ?1 AND id = ?2 \
         RETURNING attempts",
        params![emitter, id],
    )
}

/// Everybody's live, active sources and workflows that have something waiting.
pub fn emitters_with_work(c: &mut dyn Conn) -> Result<Vec<EmitterId>> {
    query_all(
        c,
        "SELECT s.id FROM (SELECT id FROM sources WHERE phase = 'live' AND active \
         UNION ALL SELECT id FROM workflows WHERE active) s \
         WHERE EXISTS (SELECT 1 FROM inbox i WHERE i.emitter_id = s.id) ORDER BY s.id",
        &[],
    )
}

/// How much each of them has; those with nothing are left out.
pub fn counts(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<HashMap<EmitterId, u64>> {
    let sql = format!(
        "SELECT emitter_id, COUNT(*) FROM inbox WHERE emitter_id IN {} GROUP BY emitter_id",
        ids_in(c.dialect(), "?1")
    );
    let counts: Vec<(EmitterId, u64)> = query_all(c, &sql, params![&IdList::new(emitters)?])?;
    Ok(counts.into_iter().collect())
}

/// Drops what waits of one kind: ticks of a source that is switched off.
pub fn remove_kind(c: &mut dyn Conn, emitter: &EmitterId, kind: InboxKind) -> Result<u64> {
    c.execute(
        "DELETE FROM inbox WHERE emitter_id = ?1 AND kind = ?2",
        params![emitter, kind],
    )
}

/// Drops what was accepted for an emitter that was deleted at the same moment.
pub fn remove_orphans(c: &mut dyn Conn) -> Result<u64> {
    c.execute(
        "DELETE FROM inbox WHERE NOT EXISTS (SELECT 1 FROM sources s WHERE s.id = inbox.emitter_id) \
         AND NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = inbox.emitter_id)",
        &[],
    )
}
