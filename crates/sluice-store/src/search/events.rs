//! Searches events.

use serde_json::{Value as Json, json};
use sluice_model::{
    EmitterId, EventId,
    search::{Needle, Record},
};

use super::{
    contains,
    criteria::Search,
    json::value_of,
    step::{Part, Step},
};
use crate::{
    conn::{Conn, Dialect, query_all},
    error::Result,
    events::{ChannelFilter, HIGHEST, IN_CHANNELS, LOWEST, StoredEvent},
    params,
    row::FromRow,
    value::Value,
};

/// The matches among the events of a part.
pub fn events(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    search: &Search,
    part: &Part<EventId>,
) -> Result<Step<EventId, StoredEvent>> {
    let (low, high) = part.between(lower_bound(search), upper_bound(search));
    let (channel, all) = filter.params();
    let order = part.direction.order(&["ms", "seq"]);
    let sql = format!(
        "SELECT ms, seq, CAST(octet_length(data) AS BIGINT) FROM events WHERE {IN_CHANNELS} \
         AND (ms, seq) > (?4, ?5) AND (ms, seq) < (?6, ?7) ORDER BY {order} LIMIT ?8"
    );
    let params = params![
        emitter, channel, all, low.ms, low.seq, high.ms, high.seq, part.rows
    ];
    let selected = part.select(query_all(c, &sql, params)?);
    let mut found = Vec::new();
    if let Some((low, high)) = selected.ends() {
        let needles = needles(search);
        let has_needles = has_needles(c.dialect(), &needles);
        let limit = match search.query {
            None => format!("LIMIT {}", part.wanted),
            Some(_) => String::new(),
        };
        let sql = format!(
            "SELECT ms, seq, channel, emit_id, meta, data FROM events WHERE {IN_CHANNELS} \
             AND (ms, seq) >= (?4, ?5) AND (ms, seq) <= (?6, ?7) {has_needles} ORDER BY {order} {limit}"
        );
        let mut params =
            params![emitter, channel, all, low.ms, low.seq, high.ms, high.seq].to_vec();
        params.extend(needles.iter().map(|needle| Value::from(needle.text())));
        c.query(&sql, &params, &mut |row| {
            if found.len() < part.wanted {
                let event = StoredEvent::from_row(row)?;
                if is_match(search, &event) {
                    found.push((event.id, event));
                }
            }
            Ok(())
        })?;
    }
    Ok(selected.step(part, found))
}

fn lower_bound(search: &Search) -> EventId {
    search.since.map_or(LOWEST, |since| EventId {
        ms: since.saturating_sub(1),
        seq: i64::MAX,
    })
}

fn upper_bound(search: &Search) -> EventId {
    search.until.map_or(HIGHEST, |until| EventId {
        ms: until.saturating_add(1),
        seq: i64::MIN,
    })
}

/// The needles that are in the data or the summary of every match.
fn needles(search: &Search) -> Vec<Needle> {
    let needles = search
        .query
        .iter()
        .flat_map(sluice_model::SearchQuery::needles);
    needles
        .filter(|needle| match needle {
            Needle::Text(_) => true,
            Needle::Field { root, .. } => !is_system(root),
        })
        .collect()
}

/// Conditions on the parameters from `?8`, which are the needles.
fn has_needles(dialect: Dialect, needles: &[Needle]) -> String {
    let condition = |(index, needle): (usize, &Needle)| {
        let parameter = format!("?{}", 8 + index);
        let in_data = contains(dialect, "data", &parameter);
        match needle {
            Needle::Text(_) => {
                let in_meta = contains(dialect, "meta", &parameter);
                format!("AND ({in_data} OR {in_meta})")
            }
            Needle::Field { .. } => format!("AND {in_data}"),
        }
    };
    let conditions = needles.iter().enumerate().map(condition);
    conditions.collect::<Vec<_>>().join(" ")
}

fn is_match(search: &Search, event: &StoredEvent) -> bool {
    let query = search.query.as_ref();
    query.is_none_or(|query| query.matches(&EventRecord::new(event)))
}

fn is_system(name: &str) -> bool {
    name.starts_with('$')
}

/// An event as a search sees it. Words are looked for in its data and its summary. A path begins in the data, or at `$id`,
/// `$channel` or `$summary`.
pub struct EventRecord {
    data: Json,
    system: Json,
}

impl EventRecord {
    pub fn new(event: &StoredEvent) -> EventRecord {
        let meta = value_of(&event.meta);
        let channel = match event.channel.as_str() {
            "" => "default",
            name => name,
        };
        EventRecord {
            data: value_of(&event.data),
            system: json!({
                "$id": event.id.to_string(),
                "$channel": channel,
                "$summary": meta.get("summary"),
            }),
        }
    }
}

impl Record for EventRecord {
    fn texts(&self) -> Vec<&Json> {
        vec![&self.data, &self.system["$summary"]]
    }

    fn roots<'p>(&self, path: &'p [String]) -> Vec<(&Json, &'p [String])> {
        let of_system = path.first().is_some_and(|name| is_system(name));
        let system = of_system.then_some((&self.system, path));
        system.into_iter().chain([(&self.data, path)]).collect()
    }
}
