//! The usage of each user on each day, for quotas.

use std::collections::BTreeMap;

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_one},
    error::Result,
    params,
    row::{FromRow, Row},
    value::Value,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub invocations: u64,
    pub compute_ms: u64,
}

impl FromRow for Usage {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Usage {
            invocations: row.get(0)?,
            compute_ms: row.get(1)?,
        })
    }
}

const ADD: &str = "INSERT INTO usage (user_id, day, invocations, compute_ms) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (user_id, day) DO UPDATE SET \
     invocations = usage.invocations + excluded.invocations, \
     compute_ms = usage.compute_ms + excluded.compute_ms";

/// Adds to days of users. Deferred.
pub(crate) fn add_all(c: &mut dyn Conn, added: &BTreeMap<(&UserId, i64), Usage>) -> Result<()> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(added.len() * 4);
    for ((user, day), usage) in added {
        values.extend_from_slice(params![*user, *day, usage.invocations, usage.compute_ms]);
    }
    c.insert_later(ADD, 4, &values)
}

/// Adds to a day's usage. Commits add to the ledger instead, see [`crate::count_ledger`]. `day` counts days since the epoch, in UTC.
pub fn add(c: &mut dyn Conn, user: &UserId, day: i64, added: Usage) -> Result<()> {
    c.execute(ADD, params![user, day, added.invocations, added.compute_ms])?;
    Ok(())
}

pub fn of_day(c: &mut dyn Conn, user: &UserId, day: i64) -> Result<Usage> {
    between(c, user, day, day)
}

/// The sum over a range of days, both ends included.
pub fn between(c: &mut dyn Conn, user: &UserId, first_day: i64, last_day: i64) -> Result<Usage> {
    query_one(
        c,
        "SELECT CAST(COALESCE(SUM(invocations), 0) AS BIGINT), \
         CAST(COALESCE(SUM(compute_ms), 0) AS BIGINT) FROM usage_counts \
         WHERE user_id = ?1 AND day >= ?2 AND day <= ?3",
        params![user, first_day, last_day],
    )
}
