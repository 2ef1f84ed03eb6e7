//! How many events and log lines each emitter has, so that lists need not count them. Commits add to the ledger, see
//! [`crate::count_ledger`]. Other writes change the row of the emitter.

use std::{collections::BTreeMap, ops::AddAssign};

use sluice_model::EmitterId;

use crate::{
    conn::{Conn, query_one},
    error::Result,
    params,
    routes::ERROR_CHANNEL,
    row::{FromRow, Row},
    value::Value,
};

/// Numbers of rows, or changes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// Events of the default channel and custom ones.
    pub events: i64,
    /// Events of the channel of errors.
    pub errors: i64,
    pub logs: i64,
}

impl Kept {
    /// Counts events of one channel. Those of other channels of the system are not counted.
    pub fn add_events(&mut self, channel: &str, count: i64) {
        if channel == ERROR_CHANNEL {
            self.errors += count;
        } else if !channel.starts_with('$') {
            self.events += count;
        }
    }

    /// The deletion of so many events of one channel, or of all that are counted as those of this one.
    pub(crate) fn without_events(channel: &str, count: u64) -> Kept {
        let mut kept = Kept::default();
        kept.add_events(channel, -signed(count));
        kept
    }

    /// The deletion of so many log lines.
    pub(crate) fn without_logs(count: u64) -> Kept {
        Kept {
            logs: -signed(count),
            ..Kept::default()
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl AddAssign for Kept {
    fn add_assign(&mut self, more: Kept) {
        self.events += more.events;
        self.errors += more.errors;
        self.logs += more.logs;
    }
}

impl FromRow for Kept {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Kept {
            events: row.get(0)?,
            errors: row.get(1)?,
            logs: row.get(2)?,
        })
    }
}

const ADD: &str = "INSERT INTO kept_rows (emitter_id, events, errors, logs) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (emitter_id) DO UPDATE SET \
     events = kept_rows.events + excluded.events, errors = kept_rows.errors + excluded.errors, \
     logs = kept_rows.logs + excluded.logs";

fn values(emitter: &EmitterId, kept: Kept) -> [Value<'_>; 4] {
    *params![emitter, kept.events, kept.errors, kept.logs]
}

/// Changes the numbers of an emitter, outside of its commits.
pub(crate) fn change(c: &mut dyn Conn, emitter: &EmitterId, by: Kept) -> Result<()> {
    if by != Kept::default() {
        c.execute(ADD, &values(emitter, by))?;
    }
    Ok(())
}

/// Adds to the numbers of emitters. Deferred.
pub(crate) fn add_all(c: &mut dyn Conn, added: &BTreeMap<&EmitterId, Kept>) -> Result<()> {
    let changed = added.iter().filter(|(_, kept)| **kept != Kept::default());
    let values: Vec<Value<'_>> = changed
        .flat_map(|(emitter, kept)| values(emitter, *kept))
        .collect();
    c.insert_later(ADD, 4, &values)
}

/// The numbers of an emitter.
pub fn of_emitter(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Kept> {
    query_one(
        c,
        "SELECT CAST(COALESCE(SUM(events), 0) AS BIGINT), CAST(COALESCE(SUM(errors), 0) AS BIGINT), \
         CAST(COALESCE(SUM(logs), 0) AS BIGINT) FROM kept_counts WHERE emitter_id = ?1",
        params![emitter],
    )
}

/// The number of stored log lines of an emitter.
pub fn logs(c: &mut dyn Conn, emitter: &EmitterId) -> Result<u64> {
    Ok(unsigned(of_emitter(c, emitter)?.logs))
}

/// As a count. The sum of all numbers of an emitter is never negative.
pub(crate) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
