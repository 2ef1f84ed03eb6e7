//! Counts of commits, as rows that are only inserted. A commit that updated the counters of its account would wait for the
//! other commits of the account.
//!
//! [`roll_up`] adds the rows to the counters of [`crate::activity`], [`crate::usage`] and [`crate::kept_rows`], whose readers add up both.

use std::collections::BTreeMap;

use sluice_model::{EmitterId, UserId};

use crate::{
    activity::{self, Counts},
    conn::{Conn, Dialect, query_all, query_one},
    error::Result,
    id_list::{IdList, is_among_numbers},
    kept_rows::{self, Kept},
    params,
    row::{FromRow, Row},
    usage::{self, Usage},
};

const HOURS_PER_DAY: i64 = 24;

struct Entry {
    id: i64,
    user: UserId,
    emitter: Option<EmitterId>,
    hour: i64,
    counts: Counts,
    kept: Kept,
}

impl FromRow for Entry {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Entry {
            id: row.get(0)?,
            user: row.get(1)?,
            emitter: row.get(2)?,
            hour: row.get(3)?,
            counts: Counts {
                events: row.get(4)?,
                errors: row.get(5)?,
                invocations: row.get(6)?,
                compute_ms: row.get(7)?,
                late_ticks: row.get(8)?,
                skipped_ticks: row.get(9)?,
            },
            kept: Kept {
                events: row.get(10)?,
                errors: row.get(11)?,
                logs: row.get(12)?,
            },
        })
    }
}

/// Counts for an emitter, its user, and the usage of the user, and the rows that the emitter got. Deferred.
pub fn add(
    c: &mut dyn Conn,
    user: &UserId,
    emitter: &EmitterId,
    hour: i64,
    counts: Counts,
    kept: Kept,
) -> Result<()> {
    let Counts {
        events,
        errors,
        invocations,
        compute_ms,
        late_ticks,
        skipped_ticks,
    } = counts;
    c.execute_later(
        "INSERT INTO count_ledger (user_id, emitter_id, hour, events, errors, invocations, \
         compute_ms, late_ticks, skipped_ticks, kept_events, kept_errors, kept_logs) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            user,
            emitter,
            hour,
            events,
            errors,
            invocations,
            compute_ms,
            late_ticks,
            skipped_ticks,
            kept.events,
            kept.errors,
            kept.logs
        ],
    )
}

/// Whether there is something to roll up.
pub fn has_rows(c: &mut dyn Conn) -> Result<bool> {
    query_one(c, "SELECT EXISTS (SELECT 1 FROM count_ledger)", &[])
}

/// Adds the oldest rows, `limit` at most, to the counters. Returns how many. Rows that another transaction locks are skipped.
pub fn roll_up(c: &mut dyn Conn, limit: u32) -> Result<u64> {
    let not_held = match c.dialect() {
        // One at a time writes.
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let sql = format!(
        "SELECT id, user_id, emitter_id, hour, events, errors, invocations, compute_ms, \
         late_ticks, skipped_ticks, kept_events, kept_errors, kept_logs FROM count_ledger ORDER BY id LIMIT ?1{not_held}"
    );
    let entries: Vec<Entry> = query_all(c, &sql, params![limit])?;
    if entries.is_empty() {
        return Ok(0);
    }
    let mut of_emitters = BTreeMap::<(&EmitterId, i64), Counts>::new();
    let mut of_users = BTreeMap::<(&UserId, i64), Counts>::new();
    let mut used = BTreeMap::<(&UserId, i64), Usage>::new();
    let mut kept = BTreeMap::<&EmitterId, Kept>::new();
    for entry in &entries {
        let Entry {
            user, hour, counts, ..
        } = entry;
        if let Some(emitter) = &entry.emitter {
            *of_emitters.entry((emitter, *hour)).or_default() += *counts;
            *kept.entry(emitter).or_default() += entry.kept;
        }
        *of_users.entry((user, *hour)).or_default() += *counts;
        let day = used
            .entry((user, hour.div_euclid(HOURS_PER_DAY)))
            .or_default();
        day.invocations += counts.invocations;
        day.compute_ms += counts.compute_ms;
    }
    // Rows in the order of their keys, so that two servers that roll up at the same time do not end in a deadlock. Tables in the
    // order of a removal of an emitter: `kept_rows` is the last one.
    activity::add_all(c, &of_emitters, &of_users)?;
    usage::add_all(c, &used)?;
    kept_rows::add_all(c, &kept)?;
    let ids: Vec<String> = entries.iter().map(|entry| entry.id.to_string()).collect();
    let sql = format!(
        "DELETE FROM count_ledger WHERE {}",
        is_among_numbers(c.dialect(), "id", "?1")
    );
    c.execute_later(&sql, params![&IdList::new(&ids)?])?;
    Ok(entries.len() as u64)
}

/// The counts of an emitter that is removed stay with its user. To be called before its counters are deleted: it waits for a
/// transaction that rolls them up.
pub(crate) fn forget_emitter(c: &mut dyn Conn, emitter: &EmitterId) -> Result<()> {
    c.execute(
        "UPDATE count_ledger SET emitter_id = NULL WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(())
}
