//! The small state of a source or a workflow that its commits carry along: the number of its last commit, its last event
//! id and its dedupe state.

use std::{borrow::Cow, collections::HashMap};

use sluice_model::{DedupeState, EmitterId, EventId};

use crate::{
    conn::{Conn, Dialect, Query, query_all, query_opt},
    error::{Result, StoreError},
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row},
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmitterState {
    /// The number of the last commit.
    pub commit_no: i64,
    pub last_event: Option<EventId>,
    pub dedupe: DedupeState,
}

impl FromRow for EmitterState {
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
        Ok(EmitterState {
            commit_no: row.get(3)?,
            last_event,
            dedupe,
        })
    }
}

/// The saved state, or the empty one.
pub fn load(c: &mut dyn Conn, emitter: &EmitterId) -> Result<EmitterState> {
    let saved = query_opt(
        c,
        "SELECT last_event_ms, last_event_seq, dedupe, commit_no FROM emitter_state WHERE emitter_id = ?1",
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

/// The state that a commit saves.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewState<'a> {
    pub last_event: Option<EventId>,
    /// JSON; `None` is the empty dedupe state.
    pub dedupe: Option<&'a str>,
    /// Set when the commit emits an event.
    pub emitted_at: Option<i64>,
}

/// Whether a commit took the next number of its emitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    Advanced,
    /// Another commit is the last one. When it has the same number, it is an earlier attempt of this commit.
    At(i64),
}

/// Takes the number of a commit, which must follow the last one, and saves the state with it, if there is any. The row lock
/// makes another attempt of the commit wait for this one.
#[derive(Debug)]
pub struct TakeNumber<'a> {
    emitter: &'a EmitterId,
    commit_no: i64,
    state: Option<NewState<'a>>,
    pub taken: bool,
}

impl<'a> TakeNumber<'a> {
    pub fn new(
        emitter: &'a EmitterId,
        commit_no: i64,
        state: Option<NewState<'a>>,
    ) -> TakeNumber<'a> {
        TakeNumber {
            emitter,
            commit_no,
            state,
            taken: false,
        }
    }

    /// What came of it. A number that was not taken is looked up.
    pub fn outcome(&self, c: &mut dyn Conn) -> Result<Advance> {
        if self.taken {
            return Ok(Advance::Advanced);
        }
        Ok(Advance::At(load(c, self.emitter)?.commit_no))
    }
}

impl<'a> Query<'a> for TakeNumber<'a> {
    fn sql(&self, _: Dialect) -> Cow<'static, str> {
        match self.state {
            None => {
                "INSERT INTO emitter_state (emitter_id, commit_no) VALUES (?1, ?2) \
                 ON CONFLICT (emitter_id) DO UPDATE SET commit_no = excluded.commit_no \
                 WHERE emitter_state.commit_no = excluded.commit_no - 1 RETURNING commit_no"
            }
            Some(_) => {
                "INSERT INTO emitter_state \
                 (emitter_id, commit_no, last_event_ms, last_event_seq, dedupe, last_emit_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (emitter_id) DO UPDATE SET \
                 commit_no = excluded.commit_no, last_event_ms = excluded.last_event_ms, \
                 last_event_seq = excluded.last_event_seq, dedupe = excluded.dedupe, \
                 last_emit_at = COALESCE(excluded.last_emit_at, emitter_state.last_emit_at) \
                 WHERE emitter_state.commit_no = excluded.commit_no - 1 RETURNING commit_no"
            }
        }
        .into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        let number = params![self.emitter, self.commit_no];
        let Some(state) = &self.state else {
            return number.to_vec();
        };
        let (ms, seq) = state.last_event.map(|id| (id.ms, id.seq)).unzip();
        let state = params![ms, seq, state.dedupe, state.emitted_at];
        [&number[..], &state[..]].concat()
    }

    fn row(&mut self, _: &Row<'_>) -> Result<()> {
        self.taken = true;
        Ok(())
    }
}

/// Takes the number of a commit, which must follow the last one.
pub fn advance(c: &mut dyn Conn, emitter: &EmitterId, commit_no: i64) -> Result<Advance> {
    let mut number = TakeNumber::new(emitter, commit_no, None);
    c.query_together(&mut [&mut number])?;
    number.outcome(c)
}

/// [`advance`], and saves the state with it.
pub fn advance_with(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    commit_no: i64,
    state: &NewState<'_>,
) -> Result<Advance> {
    let mut number = TakeNumber::new(emitter, commit_no, Some(*state));
    c.query_together(&mut [&mut number])?;
    number.outcome(c)
}

/// Removes the state of an emitter that is gone. Deferred.
pub fn remove(c: &mut dyn Conn, emitter: &EmitterId) -> Result<()> {
    c.execute_later(
        "DELETE FROM emitter_state WHERE emitter_id = ?1",
        params![emitter],
    )
}
