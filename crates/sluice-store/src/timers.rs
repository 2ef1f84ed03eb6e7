//! Timers of sources and workflows. An armed timer has a due time. The caller arms only timers of live, active sources
//! and active workflows.

use std::collections::HashMap;

use sluice_model::{EmitterId, TimerSpec};

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::Result,
    id_list::{IdList, ids_in, is_among},
    params,
    row::{FromRow, Row, to_json},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Timer {
    pub emitter_id: EmitterId,
    pub prop: String,
    pub spec: TimerSpec,
    /// `None` while it is not armed.
    pub due_at: Option<i64>,
}

impl FromRow for Timer {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Timer {
            emitter_id: row.get(0)?,
            prop: row.get(1)?,
            spec: row.json(2)?,
            due_at: row.get(3)?,
        })
    }
}

/// An armed timer.
#[derive(Debug, Clone, PartialEq)]
pub struct DueTimer {
    pub emitter_id: EmitterId,
    pub prop: String,
    pub spec: TimerSpec,
    pub due_at: i64,
}

impl FromRow for DueTimer {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(DueTimer {
            emitter_id: row.get(0)?,
            prop: row.get(1)?,
            spec: row.json(2)?,
            due_at: row.get(3)?,
        })
    }
}

pub fn upsert(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    prop: &str,
    spec: &TimerSpec,
    due_at: Option<i64>,
) -> Result<()> {
    c.execute(
        "INSERT INTO timers (emitter_id, prop, spec, due_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (emitter_id, prop) DO UPDATE SET spec = excluded.spec, \
         due_at = excluded.due_at",
        params![emitter, prop, &to_json(spec)?, due_at],
    )?;
    Ok(())
}

/// The source's timers, by the name of their prop.
pub fn of_emitter(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Vec<Timer>> {
    query_all(
        c,
        "SELECT emitter_id, prop, spec, due_at FROM timers WHERE emitter_id = ?1 ORDER BY prop",
        params![emitter],
    )
}

/// Those of several emitters, by the names of their props.
pub fn of_emitters(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<Vec<Timer>> {
    let sql = format!(
        "SELECT emitter_id, prop, spec, due_at FROM timers WHERE emitter_id IN {} ORDER BY prop",
        ids_in(c.dialect(), "?1")
    );
    query_all(c, &sql, params![&IdList::new(emitters)?])
}

/// A tick that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastTick {
    pub due_at: i64,
    /// The time from then to its dispatch.
    pub lateness_ms: i64,
}

/// The timers of one emitter together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimersStatus {
    /// When the first of them is due; none while none is armed.
    pub next_due: Option<i64>,
    /// The last tick of any of them.
    pub last_tick: Option<LastTick>,
}

/// Those of several emitters; emitters without timers are left out.
pub fn status_of_emitters(
    c: &mut dyn Conn,
    emitters: &[EmitterId],
) -> Result<HashMap<EmitterId, TimersStatus>> {
    let sql = format!(
        "SELECT emitter_id, due_at, last_tick_at, lateness_ms FROM timers WHERE emitter_id IN {}",
        ids_in(c.dialect(), "?1")
    );
    let mut statuses: HashMap<EmitterId, TimersStatus> = HashMap::new();
    c.query(&sql, params![&IdList::new(emitters)?], &mut |row| {
        let status = statuses.entry(row.get(0)?).or_default();
        let due: Option<i64> = row.get(1)?;
        status.next_due = [status.next_due, due].into_iter().flatten().min();
        let (at, lateness): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
        let tick = at.zip(lateness).map(|(due_at, lateness_ms)| LastTick {
            due_at,
            lateness_ms,
        });
        let ticks = [status.last_tick, tick].into_iter().flatten();
        status.last_tick = ticks.max_by_key(|tick| tick.due_at);
        Ok(())
    })?;
    Ok(statuses)
}

pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, prop: &str) -> Result<()> {
    c.execute(
        "DELETE FROM timers WHERE emitter_id = ?1 AND prop = ?2",
        params![emitter, prop],
    )?;
    Ok(())
}

/// Arms or disarms one timer. Returns whether it exists.
pub fn set_due(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    prop: &str,
    due_at: Option<i64>,
) -> Result<bool> {
    let updated = c.execute(
        "UPDATE timers SET due_at = ?3 WHERE emitter_id = ?1 AND prop = ?2",
        params![emitter, prop, due_at],
    )?;
    Ok(updated == 1)
}

/// Arms a timer whose tick has run, if it exists. Deferred.
pub fn rearm(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    prop: &str,
    due_at: i64,
    tick: LastTick,
) -> Result<()> {
    c.execute_later(
        "UPDATE timers SET due_at = ?3, last_tick_at = ?4, lateness_ms = ?5 \
         WHERE emitter_id = ?1 AND prop = ?2",
        params![emitter, prop, due_at, tick.due_at, tick.lateness_ms],
    )
}

/// Disarms a timer to let it tick; false when it is no longer due at `due_at`.
pub fn claim(c: &mut dyn Conn, emitter: &EmitterId, prop: &str, due_at: i64) -> Result<bool> {
    let claimed = c.execute(
        "UPDATE timers SET due_at = NULL WHERE emitter_id = ?1 AND prop = ?2 AND due_at = ?3",
        params![emitter, prop, due_at],
    )?;
    Ok(claimed == 1)
}

/// Disarms the timers of some emitters that are due at `now`, to let them tick, the longest due first. Those that another node
/// disarms at the same time are left to it, so nodes do not wait for each other.
pub fn take_due(c: &mut dyn Conn, emitters: &[EmitterId], now: i64) -> Result<Vec<DueTimer>> {
    let ids = IdList::new(emitters)?;
    let due = format!(
        "SELECT emitter_id, prop, spec, due_at FROM timers WHERE {} AND due_at <= ?2 \
         ORDER BY due_at, emitter_id, prop",
        is_among(c.dialect(), "emitter_id", "?1")
    );
    match c.dialect() {
        Dialect::Sqlite => {
            let timers: Vec<DueTimer> = query_all(c, &due, params![&ids, now])?;
            for timer in &timers {
                claim(c, &timer.emitter_id, &timer.prop, timer.due_at)?;
            }
            Ok(timers)
        }
        Dialect::Postgres => {
            let sql = format!(
                "WITH due AS ({due} FOR UPDATE SKIP LOCKED) UPDATE timers SET due_at = NULL FROM due \
                 WHERE timers.emitter_id = due.emitter_id AND timers.prop = due.prop \
                 RETURNING due.emitter_id, due.prop, due.spec, due.due_at"
            );
            let mut taken: Vec<DueTimer> = query_all(c, &sql, params![&ids, now])?;
            taken.sort_by_key(|timer| timer.due_at);
            Ok(taken)
        }
    }
}

/// Timers of all users that are due at `now`, the longest due first.
pub fn due(c: &mut dyn Conn, now: i64, limit: u32) -> Result<Vec<DueTimer>> {
    query_all(
        c,
        "SELECT emitter_id, prop, spec, due_at FROM timers WHERE due_at <= ?1 \
         ORDER BY due_at, emitter_id, prop LIMIT ?2",
        params![now, limit],
    )
}

/// When the next timer of any user is due.
pub fn next_due(c: &mut dyn Conn) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM timers WHERE due_at IS NOT NULL",
        &[],
    )
}

/// A timer, by its emitter and its prop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerKey {
    pub emitter_id: EmitterId,
    pub prop: String,
}

/// After the clock was set back: armed timers are due no later than if they were armed now, so an interval ends at most one
/// interval from now. Checks `limit` timers behind `after`. Returns the position for the next call, and none after the last
/// timer. Repeating the call changes nothing.
pub fn clamp(
    c: &mut dyn Conn,
    now: i64,
    after: Option<&TimerKey>,
    limit: u32,
) -> Result<Option<TimerKey>> {
    let (emitter, prop) = after.map_or(("", ""), |key| (key.emitter_id.as_str(), &*key.prop));
    let timers: Vec<DueTimer> = query_all(
        c,
        "SELECT emitter_id, prop, spec, due_at FROM timers WHERE (emitter_id, prop) > (?1, ?2) \
         AND due_at > ?3 ORDER BY emitter_id, prop LIMIT ?4",
        params![emitter, prop, now, limit],
    )?;
    for timer in &timers {
        let latest = timer.spec.next_after(now);
        if let Some(latest) = latest.filter(|latest| *latest < timer.due_at) {
            // It may have ticked meanwhile, on another node.
            c.execute(
                "UPDATE timers SET due_at = ?4 WHERE emitter_id = ?1 AND prop = ?2 AND due_at = ?3",
                params![&timer.emitter_id, &*timer.prop, timer.due_at, latest],
            )?;
        }
    }
    let is_last = timers.len() < limit as usize;
    let last = timers.into_iter().next_back().filter(|_| !is_last);
    Ok(last.map(|timer| TimerKey {
        emitter_id: timer.emitter_id,
        prop: timer.prop,
    }))
}
