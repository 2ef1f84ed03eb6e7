//! Emitted events. An event's id is unique for its source and grows with every emit.

mod take;

use sluice_model::{EmitterId, EventId};

use crate::{
    batch_limit::BatchLimit,
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    event_id_row::EventIdRow,
    event_replays,
    kept_rows::{self, Kept},
    params,
    provenance::{self, Provenance},
    routes::ERROR_CHANNEL,
    row::{FromRow, Row},
    value::Value,
};

pub use self::take::Take;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEvent<'a> {
    pub id: EventId,
    /// The default channel is "".
    pub channel: &'a str,
    pub emit_id: &'a str,
    /// Metadata of the emit as JSON: `id`, `summary` and `ts`, as far as given.
    pub meta: &'a str,
    /// The event itself, as JSON.
    pub data: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub id: EventId,
    pub channel: String,
    pub emit_id: String,
    pub meta: String,
    pub data: String,
}

impl StoredEvent {
    pub fn as_new(&self) -> NewEvent<'_> {
        NewEvent {
            id: self.id,
            channel: &self.channel,
            emit_id: &self.emit_id,
            meta: &self.meta,
            data: &self.data,
        }
    }
}

impl FromRow for StoredEvent {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(StoredEvent {
            id: EventIdRow::from_row(row)?.0,
            channel: row.get(2)?,
            emit_id: row.get(3)?,
            meta: row.get(4)?,
            data: row.get(5)?,
        })
    }
}

/// Which channels a query looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelFilter {
    /// The default channel and custom ones; not those of the system, whose names begin with `$`.
    AllButSystem,
    /// One channel; "" is the default channel.
    One(String),
}

impl ChannelFilter {
    pub fn admits(&self, channel: &str) -> bool {
        match self {
            ChannelFilter::AllButSystem => !channel.starts_with('$'),
            ChannelFilter::One(wanted) => wanted == channel,
        }
    }

    /// The parameters of [`IN_CHANNELS`]: a channel, and whether all that are not the system's
    /// are wanted besides.
    pub(crate) fn params(&self) -> (&str, bool) {
        match self {
            ChannelFilter::AllButSystem => ("", true),
            ChannelFilter::One(channel) => (channel, false),
        }
    }
}

const SELECT: &str = "SELECT ms, seq, channel, emit_id, meta, data FROM events";

pub(crate) const IN_CHANNELS: &str =
    "emitter_id = ?1 AND (channel = ?2 OR (?3 AND substr(channel, 1, 1) <> '$'))";

/// Events that wait for their time are listed, but have not been emitted yet.
pub(crate) const NOT_HELD: &str = "NOT EXISTS (SELECT 1 FROM held_events h \
     WHERE h.emitter_id = events.emitter_id AND h.ms = events.ms AND h.seq = events.seq)";

/// Bounds that every id lies between.
pub(crate) const LOWEST: EventId = EventId {
    ms: i64::MIN,
    seq: i64::MIN,
};
pub(crate) const HIGHEST: EventId = EventId {
    ms: i64::MAX,
    seq: i64::MAX,
};

const INSERT: &str = "INSERT INTO events (emitter_id, ms, seq, channel, emit_id, invocation_id, cause, \
     duration_ms, trace, meta, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// The values of a row.
const COLUMNS: usize = 11;

fn values<'a>(
    emitter: &'a EmitterId,
    event: &NewEvent<'a>,
    provenance: Option<&'a Provenance>,
) -> [Value<'a>; COLUMNS] {
    let NewEvent {
        id: EventId { ms, seq },
        channel,
        emit_id,
        meta,
        data,
    } = *event;
    let [invocation, cause, duration, trace] = provenance::values(provenance);
    *params![
        emitter, ms, seq, channel, emit_id, invocation, cause, duration, trace, meta, data
    ]
}

/// Inserts events of one emitter. Conflicts on the ids. Deferred.
pub fn insert_all<'a>(
    c: &mut dyn Conn,
    emitter: &'a EmitterId,
    events: impl Iterator<Item = (NewEvent<'a>, Option<&'a Provenance>)>,
) -> Result<()> {
    let values: Vec<Value<'a>> = events
        .flat_map(|(event, provenance)| values(emitter, &event, provenance))
        .collect();
    c.insert_later(INSERT, COLUMNS, &values)
}

/// Inserts an event without a cause. Conflicts on the id.
pub fn insert(c: &mut dyn Conn, emitter: &EmitterId, event: &NewEvent<'_>) -> Result<()> {
    c.execute(INSERT, &values(emitter, event, None)).map(drop)
}

/// A page of events, newest first. `after` asks for events that follow an id in that order: older ones.
/// `before` asks for newer ones, and alone for those nearest to it.
pub fn newest(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    limit: u32,
    after: Option<EventId>,
    before: Option<EventId>,
) -> Result<Vec<StoredEvent>> {
    let nearest_first = if before.is_some() && after.is_none() {
        "ms, seq"
    } else {
        "ms DESC, seq DESC"
    };
    let sql = format!(
        "{SELECT} WHERE {IN_CHANNELS} \
         AND (ms, seq) < (?4, ?5) AND (ms, seq) > (?6, ?7) ORDER BY {nearest_first} LIMIT ?8"
    );
    let (channel, all) = filter.params();
    let below = after.unwrap_or(HIGHEST);
    let above = before.unwrap_or(LOWEST);
    let params = params![
        emitter, channel, all, below.ms, below.seq, above.ms, above.seq, limit
    ];
    let mut events: Vec<StoredEvent> = query_all(c, &sql, params)?;
    events.sort_by_key(|event| std::cmp::Reverse(event.id));
    Ok(events)
}

/// One event, in any channel.
pub fn get(c: &mut dyn Conn, emitter: &EmitterId, id: EventId) -> Result<Option<StoredEvent>> {
    let sql = format!("{SELECT} WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3");
    query_opt(c, &sql, params![emitter, id.ms, id.seq])
}

/// The id of the event that has `ahead` newer ones ahead of it.
pub fn id_behind(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    ahead: u32,
) -> Result<Option<EventId>> {
    let (channel, all) = filter.params();
    let sql = format!(
        "SELECT ms, seq FROM events WHERE {IN_CHANNELS} ORDER BY ms DESC, seq DESC \
         LIMIT 1 OFFSET ?4"
    );
    let found: Option<EventIdRow> = query_opt(c, &sql, params![emitter, channel, all, ahead])?;
    Ok(found.map(|EventIdRow(id)| id))
}

/// Events after an event, oldest first. None: from the oldest one stored.
pub fn after(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    after: Option<EventId>,
    limit: BatchLimit,
) -> Result<Vec<StoredEvent>> {
    let rows = format!("FROM events WHERE {IN_CHANNELS} AND {NOT_HELD} AND (ms, seq) > (?4, ?5)");
    let (channel, all) = filter.params();
    let above = after.unwrap_or(LOWEST);
    let sizes = query_all(
        c,
        &format!("SELECT CAST(octet_length(data) AS BIGINT) {rows} ORDER BY ms, seq LIMIT ?6"),
        params![emitter, channel, all, above.ms, above.seq, limit.rows],
    )?;
    query_all(
        c,
        &format!("SELECT ms, seq, channel, emit_id, meta, data {rows} ORDER BY ms, seq LIMIT ?6"),
        params![
            emitter,
            channel,
            all,
            above.ms,
            above.seq,
            limit.fitting(sizes)
        ],
    )
}

pub fn count(c: &mut dyn Conn, emitter: &EmitterId, filter: &ChannelFilter) -> Result<u64> {
    let (channel, all) = filter.params();
    let sql = format!("SELECT COUNT(*) FROM events WHERE {IN_CHANNELS}");
    query_one(c, &sql, params![emitter, channel, all])
}

/// As [`count`], without counting where the number is known: of all channels but those of the system, and of errors.
pub fn known_count(c: &mut dyn Conn, emitter: &EmitterId, filter: &ChannelFilter) -> Result<u64> {
    let kept = match filter {
        ChannelFilter::AllButSystem => kept_rows::of_emitter(c, emitter)?.events,
        ChannelFilter::One(channel) if channel == ERROR_CHANNEL => {
            kept_rows::of_emitter(c, emitter)?.errors
        }
        ChannelFilter::One(_) => return count(c, emitter, filter),
    };
    Ok(kept_rows::unsigned(kept))
}

/// Everything that is kept, in all channels.
pub fn count_kept(c: &mut dyn Conn, emitter: &EmitterId) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM events WHERE emitter_id = ?1",
        params![emitter],
    )
}

/// Deletes from `start` to `end`, both included; an end that is not given is open. Those that wait
/// for their time will not be sent.
pub fn delete_range(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    start: Option<EventId>,
    end: Option<EventId>,
) -> Result<u64> {
    let (channel, all) = filter.params();
    let start = start.unwrap_or(LOWEST);
    let end = end.unwrap_or(HIGHEST);
    let range = "(ms, seq) >= (?4, ?5) AND (ms, seq) <= (?6, ?7)";
    let params = params![emitter, channel, all, start.ms, start.seq, end.ms, end.seq];
    c.execute(
        &format!(
            "DELETE FROM held_events WHERE emitter_id = ?1 AND {range} AND EXISTS (SELECT 1 FROM \
             events WHERE {IN_CHANNELS} AND ms = held_events.ms AND seq = held_events.seq)"
        ),
        params,
    )?;
    let deleted = c.execute(
        &format!("DELETE FROM events WHERE {IN_CHANNELS} AND {range}"),
        params,
    )?;
    event_replays::remove_unused(c, emitter, start, end)?;
    kept_rows::change(c, emitter, Kept::without_events(channel, deleted))?;
    Ok(deleted)
}
