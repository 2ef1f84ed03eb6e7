//! Accepted work that is not committed yet. A row is written before a request is answered, and removed in the
//! transaction that commits the outcome of its invocation.

use std::collections::{HashMap, HashSet};

use sluice_model::{EmitterId, InvocationId, TraceContext};

use crate::{
    batch_limit::BatchLimit,
    conn::{Conn, Dialect, query_all, query_one, query_opt},
    error::Result,
    id_list::{IdList, ids_in, is_among},
    nodes, params,
    row::{FromRow, Row},
    text_enum::text_enum,
    value::Value,
};

/// The cause of an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxKind {
    Http,
    Timer,
    /// A user asked for it through the API.
    Manual,
    /// An event of an emitter that the source listens to.
    Event,
    /// A held event of the source that is due; the payload is its id.
    Held,
    /// A run of a workflow that resumes; the payload has the reason.
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
    /// The interface prop it came through. For an event, its address.
    pub prop: Option<&'a str>,
    /// The event, as JSON.
    pub payload: &'a str,
    pub accepted_at: i64,
    /// How many events in a row led here, each caused by the one before.
    pub depth: u32,
    /// The node at which a client waits for the reply.
    pub reply_to: Option<&'a str>,
    /// The span that caused it.
    pub trace: Option<&'a TraceContext>,
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
    pub reply_to: Option<String>,
    pub trace: Option<TraceContext>,
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
            reply_to: row.get(7)?,
            trace: row.get(8)?,
        })
    }
}

/// Conflicts on the id.
pub fn insert(c: &mut dyn Conn, emitter: &EmitterId, item: &NewInboxItem<'_>) -> Result<()> {
    c.execute(INSERT, &row(emitter, item)).map(drop)
}

const INSERT: &str = "INSERT INTO inbox (emitter_id, id, kind, prop, attempts, accepted_at, payload, depth, reply_to, \
     trace) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9)";

/// Inserts items of any emitters. Conflicts on the ids. Deferred.
pub fn insert_all<'a>(
    c: &mut dyn Conn,
    items: impl Iterator<Item = (&'a EmitterId, NewInboxItem<'a>)>,
) -> Result<()> {
    let mut values = Vec::new();
    for (emitter, item) in items {
        values.extend_from_slice(&row(emitter, &item));
    }
    c.insert_later(INSERT, COLUMNS, &values)
}

/// The values of a row.
const COLUMNS: usize = 9;

fn row<'a>(emitter: &'a EmitterId, item: &NewInboxItem<'a>) -> [Value<'a>; COLUMNS] {
    let NewInboxItem {
        id,
        kind,
        prop,
        payload,
        accepted_at,
        depth,
        reply_to,
        trace,
    } = *item;
    *params![
        emitter,
        id,
        kind,
        prop,
        accepted_at,
        payload,
        depth,
        reply_to,
        trace
    ]
}

/// Acknowledges items. Deferred.
pub fn remove_all(c: &mut dyn Conn, emitter: &EmitterId, ids: &[InvocationId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "DELETE FROM inbox WHERE emitter_id = ?1 AND {}",
        is_among(c.dialect(), "id", "?2")
    );
    c.execute_later(&sql, params![emitter, &IdList::new(ids)?])
}

/// Acknowledges an item. Returns whether it existed.
pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, id: &InvocationId) -> Result<bool> {
    let removed = c.execute(
        "DELETE FROM inbox WHERE emitter_id = ?1 AND id = ?2",
        params![emitter, id],
    )?;
    Ok(removed == 1)
}

/// The items that a reader of the inbox has already, and how much more it takes.
pub struct PageRequest<'a> {
    /// Items that are left out.
    pub known: &'a HashSet<InvocationId>,
    pub limit: BatchLimit,
}

/// A part of the inbox; `complete` when nothing lies beyond it.
#[derive(Debug, PartialEq, Eq)]
pub struct InboxPage {
    pub items: Vec<InboxItem>,
    pub complete: bool,
}

/// An item, its place in the page, and whether another one follows it.
struct PageRow {
    item: InboxItem,
    has_next: bool,
    place: i64,
}

impl FromRow for PageRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(PageRow {
            item: InboxItem::from_row(row)?,
            has_next: row.get(9)?,
            place: row.get(10)?,
        })
    }
}

/// The column whose order is the order of acceptance. Ids of one server have it. Those of several servers, with a clock each, do
/// not.
fn order(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "id",
        Dialect::Postgres => "seq",
    }
}

/// The first items that meet a condition, within ?2 rows and ?3 bytes of payload; one at least, if there is any. ?1 is the
/// emitter. Sums of lengths select the rows, so payloads beyond the limit are not read: both databases know the length of
/// a text without reading it.
fn page_sql(dialect: Dialect, condition: &str, offset: &str) -> String {
    let order = order(dialect);
    format!(
        "SELECT i.id, i.kind, i.prop, i.payload, i.attempts, i.accepted_at, i.depth, \
         i.reply_to, i.trace, page.has_next, page.place \
         FROM (SELECT id, ROW_NUMBER() OVER w AS place, \
         CAST(SUM(bytes) OVER w AS BIGINT) AS total, LEAD(id) OVER w IS NOT NULL AS has_next \
         FROM (SELECT id, seq, octet_length(payload) AS bytes FROM inbox \
         WHERE emitter_id = ?1 AND {condition} ORDER BY {order} \
         LIMIT CAST(?2 AS BIGINT) + 1{offset}) \
         page_rows WINDOW w AS (ORDER BY {order})) page CROSS JOIN inbox i \
         WHERE i.emitter_id = ?1 AND i.id = page.id AND page.place <= ?2 \
         AND (page.place = 1 OR page.total <= ?3)"
    )
}

/// Sorted here and not by the database, which would copy the payloads to sort them.
fn read_page(c: &mut dyn Conn, sql: &str, params: &[Value<'_>]) -> Result<InboxPage> {
    let mut rows: Vec<PageRow> = query_all(c, sql, params)?;
    rows.sort_by_key(|row| row.place);
    Ok(InboxPage {
        complete: rows.last().is_none_or(|row| !row.has_next),
        items: rows.into_iter().map(|row| row.item).collect(),
    })
}

/// Items that wait and are not known to the reader, oldest first. One query reads the page.
pub fn waiting(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    request: &PageRequest<'_>,
) -> Result<InboxPage> {
    let PageRequest { known, limit } = request;
    let known: Vec<&InvocationId> = known.iter().collect();
    let unknown = format!("id NOT IN {}", ids_in(c.dialect(), "?4"));
    let sql = page_sql(c.dialect(), &unknown, "");
    let known = IdList::new(&known)?;
    read_page(c, &sql, params![emitter, limit.rows, limit.bytes, &known])
}

/// One item.
pub fn get(c: &mut dyn Conn, emitter: &EmitterId, id: &InvocationId) -> Result<Option<InboxItem>> {
    query_opt(
        c,
        "SELECT id, kind, prop, payload, attempts, accepted_at, depth, reply_to, trace FROM inbox \
         WHERE emitter_id = ?1 AND id = ?2",
        params![emitter, id],
    )
}

/// The items behind the first `keep`, oldest first and within the limit. Runs that resume are not counted: the
/// limit of the queue does not apply to them.
pub fn beyond(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    keep: u64,
    limit: BatchLimit,
) -> Result<Vec<InboxItem>> {
    let sql = page_sql(c.dialect(), "kind <> 'continued'", " OFFSET ?4");
    let page = read_page(c, &sql, params![emitter, limit.rows, limit.bytes, keep])?;
    Ok(page.items)
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

/// Counts one more attempt. Returns how many there were, or `None` when the item is gone.
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

/// Counts one more attempt of each of these items. Deferred.
pub fn add_attempts(c: &mut dyn Conn, emitter: &EmitterId, ids: &[InvocationId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "UPDATE inbox SET attempts = attempts + 1 WHERE emitter_id = ?1 AND {}",
        is_among(c.dialect(), "id", "?2")
    );
    c.execute_later(&sql, params![emitter, &IdList::new(ids)?])
}

/// Live, active sources and workflows of all users that have items in their inbox.
pub fn emitters_with_work(c: &mut dyn Conn) -> Result<Vec<EmitterId>> {
    query_all(
        c,
        "SELECT s.id FROM (SELECT id FROM sources WHERE phase = 'live' AND active \
         UNION ALL SELECT id FROM workflows WHERE active) s \
         WHERE EXISTS (SELECT 1 FROM inbox i WHERE i.emitter_id = s.id) ORDER BY s.id",
        &[],
    )
}

/// An emitter with items, and the last one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    pub emitter_id: EmitterId,
    pub newest: InvocationId,
}

impl FromRow for Backlog {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Backlog {
            emitter_id: row.get(0)?,
            newest: row.get(1)?,
        })
    }
}

/// Live, active emitters with items that are this node's to run: its own, and those that it may claim. Takes one look at
/// the index for each emitter that has items, however many those are.
pub fn backlogs(c: &mut dyn Conn, node: &str, may_take_over: bool) -> Result<Vec<Backlog>> {
    let sql = format!(
        "WITH RECURSIVE queued (emitter_id) AS (SELECT MIN(emitter_id) FROM inbox UNION ALL \
         SELECT (SELECT MIN(i.emitter_id) FROM inbox i WHERE i.emitter_id > q.emitter_id) \
         FROM queued q WHERE q.emitter_id IS NOT NULL) \
         SELECT q.emitter_id, (SELECT i.id FROM inbox i WHERE i.emitter_id = q.emitter_id \
         ORDER BY {} DESC LIMIT 1) FROM queued q JOIN emitter_state s ON s.emitter_id = q.emitter_id \
         WHERE {} AND (EXISTS (SELECT 1 FROM sources e WHERE e.id = q.emitter_id AND e.phase = 'live' \
         AND e.active) OR EXISTS (SELECT 1 FROM workflows e WHERE e.id = q.emitter_id AND e.active))",
        order(c.dialect()),
        nodes::is_free(c.dialect(), "s.owner", "?1", "?2")
    );
    query_all(c, &sql, params![node, may_take_over])
}

/// The number of items of each emitter. Emitters without items are left out.
pub fn counts(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<HashMap<EmitterId, u64>> {
    let sql = format!(
        "SELECT emitter_id, COUNT(*) FROM inbox WHERE emitter_id IN {} GROUP BY emitter_id",
        ids_in(c.dialect(), "?1")
    );
    let counts: Vec<(EmitterId, u64)> = query_all(c, &sql, params![&IdList::new(emitters)?])?;
    Ok(counts.into_iter().collect())
}

/// Removes items of one kind: ticks of a source that is switched off.
pub fn remove_kind(c: &mut dyn Conn, emitter: &EmitterId, kind: InboxKind) -> Result<u64> {
    c.execute(
        "DELETE FROM inbox WHERE emitter_id = ?1 AND kind = ?2",
        params![emitter, kind],
    )
}
