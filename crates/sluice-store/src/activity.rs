//! Hourly counts of each source, workflow and account.

use std::{
    collections::{BTreeMap, HashMap},
    ops::AddAssign,
};

use sluice_model::{EmitterId, UserId};

use crate::{
    conn::{Conn, Dialect, query_all},
    error::Result,
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row},
    value::Value,
};

/// The counts of one hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// On the default channel and custom ones.
    pub events: u64,
    /// Invocations that failed; for workflows, runs.
    pub errors: u64,
    /// For workflows, runs that began.
    pub invocations: u64,
    pub compute_ms: u64,
    /// Ticks that were dispatched late.
    pub late_ticks: u64,
    /// Ticks that never ran.
    pub skipped_ticks: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.events += more.events;
        self.errors += more.errors;
        self.invocations += more.invocations;
        self.compute_ms += more.compute_ms;
        self.late_ticks += more.late_ticks;
        self.skipped_ticks += more.skipped_ticks;
    }
}

/// An hour in which something happened. Hours count from the epoch, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hour {
    pub hour: i64,
    pub counts: Counts,
}

impl FromRow for Hour {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Hour {
            hour: row.get(0)?,
            counts: Counts {
                events: row.get(1)?,
                errors: row.get(2)?,
                invocations: row.get(3)?,
                compute_ms: row.get(4)?,
                late_ticks: row.get(5)?,
                skipped_ticks: row.get(6)?,
            },
        })
    }
}

/// The columns of an [`Hour`], from the views that add the ledger to the counters.
const HOUR: &str = "hour, CAST(SUM(events) AS BIGINT), CAST(SUM(errors) AS BIGINT), \
     CAST(SUM(invocations) AS BIGINT), CAST(SUM(compute_ms) AS BIGINT), \
     CAST(SUM(late_ticks) AS BIGINT), CAST(SUM(skipped_ticks) AS BIGINT)";

/// Adds to an hour of an emitter and of its user. Commits add to the ledger instead, see [`crate::count_ledger`].
pub fn add(
    c: &mut dyn Conn,
    user: &UserId,
    emitter: &EmitterId,
    hour: i64,
    counts: Counts,
) -> Result<()> {
    c.execute(ADD_TO_EMITTER, &hour_values(emitter.as_str(), hour, counts))?;
    c.execute(ADD_TO_USER, &hour_values(user.as_str(), hour, counts))?;
    Ok(())
}

const ADD_TO_EMITTER: &str = "INSERT INTO activity \
     (emitter_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (emitter_id, hour) DO UPDATE SET \
     events = activity.events + excluded.events, errors = activity.errors + excluded.errors, \
     invocations = activity.invocations + excluded.invocations, \
     compute_ms = activity.compute_ms + excluded.compute_ms, \
     late_ticks = activity.late_ticks + excluded.late_ticks, \
     skipped_ticks = activity.skipped_ticks + excluded.skipped_ticks";

const ADD_TO_USER: &str = "INSERT INTO user_activity \
     (user_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (user_id, hour) DO UPDATE SET \
     events = user_activity.events + excluded.events, \
     errors = user_activity.errors + excluded.errors, \
     invocations = user_activity.invocations + excluded.invocations, \
     compute_ms = user_activity.compute_ms + excluded.compute_ms, \
     late_ticks = user_activity.late_ticks + excluded.late_ticks, \
     skipped_ticks = user_activity.skipped_ticks + excluded.skipped_ticks";

/// Adds to hours of emitters and of users. Deferred.
pub(crate) fn add_all(
    c: &mut dyn Conn,
    of_emitters: &BTreeMap<(&EmitterId, i64), Counts>,
    of_users: &BTreeMap<(&UserId, i64), Counts>,
) -> Result<()> {
    let mut values = Vec::with_capacity(of_emitters.len() * COLUMNS);
    for ((emitter, hour), counts) in of_emitters {
        values.extend_from_slice(&hour_values(emitter.as_str(), *hour, *counts));
    }
    c.insert_later(ADD_TO_EMITTER, COLUMNS, &values)?;
    let mut values = Vec::with_capacity(of_users.len() * COLUMNS);
    for ((user, hour), counts) in of_users {
        values.extend_from_slice(&hour_values(user.as_str(), *hour, *counts));
    }
    c.insert_later(ADD_TO_USER, COLUMNS, &values)
}

/// The values of a row.
const COLUMNS: usize = 8;

fn hour_values(owner: &str, hour: i64, counts: Counts) -> [Value<'_>; COLUMNS] {
    let Counts {
        events,
        errors,
        invocations,
        compute_ms,
        late_ticks,
        skipped_ticks,
    } = counts;
    *params![
        owner,
        hour,
        events,
        errors,
        invocations,
        compute_ms,
        late_ticks,
        skipped_ticks
    ]
}

/// The hours of an emitter of any user from `first` on, oldest first.
pub fn of_emitter(c: &mut dyn Conn, emitter: &EmitterId, first: i64) -> Result<Vec<Hour>> {
    let sql = format!(
        "SELECT {HOUR} FROM activity_counts WHERE emitter_id = ?1 AND hour >= ?2 \
         GROUP BY hour ORDER BY hour"
    );
    query_all(c, &sql, params![emitter, first])
}

/// As [`of_emitter`], for several; those in which nothing happened are left out.
pub fn of_emitters(
    c: &mut dyn Conn,
    emitters: &[EmitterId],
    first: i64,
) -> Result<HashMap<EmitterId, Vec<Hour>>> {
    let ids = IdList::new(emitters)?;
    let sql = format!(
        "SELECT {HOUR}, emitter_id FROM activity_counts WHERE emitter_id IN {} AND hour >= ?2 \
         GROUP BY emitter_id, hour ORDER BY emitter_id, hour",
        ids_in(c.dialect(), "?1")
    );
    let mut hours: HashMap<EmitterId, Vec<Hour>> = HashMap::new();
    c.query(&sql, params![&ids, first], &mut |row| {
        let hour = Hour::from_row(row)?;
        hours.entry(row.get(7)?).or_default().push(hour);
        Ok(())
    })?;
    Ok(hours)
}

/// The hours of a user from `first` on, oldest first; those of emitters that are gone are in them.
pub fn of_user(c: &mut dyn Conn, user: &UserId, first: i64) -> Result<Vec<Hour>> {
    let sql = format!(
        "SELECT {HOUR} FROM user_activity_counts WHERE user_id = ?1 AND hour >= ?2 \
         GROUP BY hour ORDER BY hour"
    );
    query_all(c, &sql, params![user, first])
}

/// Removes hours of all users before `first`, `limit` at most of each kind, the oldest first. Returns how many. Rows that
/// another transaction locks are skipped, which prevents a deadlock.
pub fn remove_before(c: &mut dyn Conn, first: i64, limit: u32) -> Result<u64> {
    let not_held = match c.dialect() {
        // One at a time writes.
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let mut remove = |table: &str, key: &str| {
        let sql = format!(
            "WITH old AS (SELECT {key}, hour FROM {table} WHERE hour < ?1 ORDER BY hour \
             LIMIT ?2{not_held}) \
             DELETE FROM {table} WHERE ({key}, hour) IN (SELECT {key}, hour FROM old)"
        );
        c.execute(&sql, params![first, limit])
    };
    Ok(remove("activity", "emitter_id")? + remove("user_activity", "user_id")?)
}
