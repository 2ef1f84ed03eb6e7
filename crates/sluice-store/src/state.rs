//! The small state of a source that each commit saves: the last event id and the state of dedupe
//! remembers.

use std::collections::HashMap;

use sluice_model::{DedupeState, EmitterId, EventId};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::{Result, StoreError},
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row, to_json},
};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceState {
    pub last_event: Option<EventId>,
    pub dedupe: DedupeState,
}

impl FromRow for SourceState {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let last_event = match (row.get(0)?, row.get(1)?) {
            (Some(ms), Some(seq)) => Some(EventId { ms, seq }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                return Err(StoreError::Corrupt("half an event id".to_owned()));
            }
        };
        let dedupe = match row.get::<Option<String>>(2)? {
            Some(_) => row.json(2)?,
            None => DedupeState::default(),
        };
        Ok(SourceState { last_event, dedupe })
    }
}

/// The saved state, or the empty one.
pub fn load(c: &mut dyn Conn, emitter: &EmitterId) -> Result<SourceState> {
    let saved = query_opt(
        c,
        "SELECT last_event_ms, last_event_seq, dedupe FROM emitter_state WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(saved.unwrap_or_default())
}

/// When emitters of any user last emitted an event. Emitters without events are left out. Errors do not count.
pub fn last_emits(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<HashMap<EmitterId, i64>> {
    let ids = IdList::new(emitters)?;
    let sql = format!(
        "SELECT emitter_id, last_emit_at FROM emitter_state \
         WHERE emitter_id IN {} AND last_emit_at IS NOT NULL",
        ids_in(c.dialect(), "?1")
    );
    let last: Vec<(EmitterId, i64)> = query_all(c, &sql, params![&ids])?;
    Ok(last.into_iter().collect())
}

pub fn save(c: &mut dyn Conn, emitter: &EmitterId, state: &SourceState) -> Result<()> {
    let SourceState { last_event, dedupe } = state;
    let dedupe = (*dedupe != DedupeState::default())
        .then(|| to_json(dedupe))
        .transpose()?;
    save_raw(c, emitter, *last_event, dedupe.as_deref(), None)
}

/// [`save`] for the hot path, with the JSON of the dedupe state; `None` is the empty one. `emitted_at` says that it emitted
/// something then.
pub fn save_raw(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    last_event: Option<EventId>,
    dedupe: Option<&str>,
    emitted_at: Option<i64>,
) -> Result<()> {
    let (ms, seq) = last_event.map(|id| (id.ms, id.seq)).unzip();
    c.execute(
        "INSERT INTO emitter_state (emitter_id, last_event_ms, last_event_seq, dedupe, last_emit_at) \
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (emitter_id) DO UPDATE SET \
         last_event_ms = excluded.last_event_ms, last_event_seq = excluded.last_event_seq, \
         dedupe = excluded.dedupe, \
         last_emit_at = COALESCE(excluded.last_emit_at, emitter_state.last_emit_at)",
        params![emitter, ms, seq, dedupe, emitted_at],
    )?;
    Ok(())
}
