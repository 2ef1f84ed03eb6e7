//! Sources, workflows and webhooks that fail, as far as users are notified of it.
//!
//! The transactions that record outcomes write a row when a streak of failures begins, grows or ends, so a subject that works costs
//! nothing. The job that notifies users looks at the rows that are due.

use sluice_model::{UserId, WebhookId};

use crate::{
    conn::{Conn, Dialect, query_all, query_opt},
    error::Result,
    id_list::{IdList, is_among},
    params,
    row::{FromRow, Row},
    value::Value,
};

/// The longest error that is kept, in characters.
const MAX_ERROR: usize = 500;

/// A streak of failures that has begun, grown or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreakChange {
    /// In a row.
    pub failures: u64,
    pub failing_since: i64,
    /// Set when it has ended.
    pub recovered_at: Option<i64>,
    /// Of the last failure; none when there was no further one.
    pub error: Option<String>,
}

/// The streak of a subject that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streak {
    pub failures: u64,
    pub failing_since: i64,
}

impl FromRow for Streak {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Streak {
            failures: row.get(0)?,
            failing_since: row.get(1)?,
        })
    }
}

/// The streak of a subject, if it fails.
pub fn streak(c: &mut dyn Conn, subject: &str) -> Result<Option<Streak>> {
    query_opt(
        c,
        "SELECT failures, failing_since FROM subject_health \
         WHERE subject_id = ?1 AND recovered_at IS NULL",
        params![subject],
    )
}

/// Records the change of a streak. The job looks at it at once, unless it is to look at the subject later anyway. Deferred.
pub fn record(
    c: &mut dyn Conn,
    user: &UserId,
    subject: &str,
    change: &StreakChange,
    now: i64,
) -> Result<()> {
    let StreakChange {
        failures,
        failing_since,
        recovered_at,
        error,
    } = change;
    let error = shortened(error.as_deref().unwrap_or_default());
    c.execute_later(
        "INSERT INTO subject_health (subject_id, user_id, failures, failing_since, recovered_at, \
         error, reported, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
         ON CONFLICT (subject_id) DO UPDATE SET failures = excluded.failures, \
         failing_since = excluded.failing_since, recovered_at = excluded.recovered_at, \
         error = CASE excluded.error WHEN '' THEN subject_health.error ELSE excluded.error END, \
         due_at = COALESCE(subject_health.due_at, excluded.due_at)",
        params![
            subject,
            user,
            *failures,
            *failing_since,
            *recovered_at,
            &error,
            false,
            now
        ],
    )
}

/// Records that a webhook fails since then. Deferred.
pub(crate) fn webhook_failed(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    since: i64,
    error: &str,
) -> Result<()> {
    c.execute_later(
        "INSERT INTO subject_health (subject_id, user_id, failures, failing_since, error, reported, \
         due_at) SELECT w.id, w.user_id, 0, w.failing_since, CAST(?3 AS TEXT), FALSE, \
         CAST(?2 AS BIGINT) FROM webhooks w WHERE w.id = ?1 AND w.failing_since IS NOT NULL \
         ON CONFLICT (subject_id) DO UPDATE SET failing_since = excluded.failing_since, \
         recovered_at = NULL, error = excluded.error, \
         due_at = COALESCE(subject_health.due_at, excluded.due_at)",
        params![webhook, since, &shortened(error)],
    )
}

/// Records that a webhook works. Deferred.
pub(crate) fn webhook_works(c: &mut dyn Conn, webhook: &WebhookId, now: i64) -> Result<()> {
    c.execute_later(
        "UPDATE subject_health SET recovered_at = ?2, due_at = COALESCE(due_at, ?2) \
         WHERE subject_id = ?1 AND recovered_at IS NULL",
        params![webhook, now],
    )
}

/// Forgets a subject that was removed, or changed by its user. Deferred.
pub(crate) fn forget(c: &mut dyn Conn, subject: &str) -> Result<()> {
    c.execute_later(
        "DELETE FROM subject_health WHERE subject_id = ?1",
        params![subject],
    )
}

fn shortened(error: &str) -> String {
    let text: String = error.chars().take(MAX_ERROR).collect();
    text.replace('\0', "")
}

/// A subject, as the job sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectHealth {
    pub id: String,
    /// In a row, about: an old streak is not written for each failure. Zero for webhooks.
    pub failures: u64,
    pub failing_since: i64,
    pub recovered_at: Option<i64>,
    /// Whether the user was last told that it fails.
    pub reported: bool,
    pub reported_at: Option<i64>,
}

impl FromRow for SubjectHealth {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SubjectHealth {
            id: row.get(0)?,
            failures: row.get(1)?,
            failing_since: row.get(2)?,
            recovered_at: row.get(3)?,
            reported: row.get(4)?,
            reported_at: row.get(5)?,
        })
    }
}

/// Users, `limit` of them, with a subject that is due.
pub fn users_due(c: &mut dyn Conn, now: i64, limit: u32) -> Result<Vec<UserId>> {
    query_all(
        c,
        "SELECT DISTINCT user_id FROM subject_health WHERE due_at <= ?1 ORDER BY user_id LIMIT ?2",
        params![now, limit],
    )
}

/// The subjects of a user that are due, those that fail longest first, `limit` of them. They are locked until the transaction
/// ends. A subject whose outcome is being recorded is left out: it stays due.
pub fn take_due(
    c: &mut dyn Conn,
    user: &UserId,
    now: i64,
    limit: u32,
) -> Result<Vec<SubjectHealth>> {
    let lock = match c.dialect() {
        // The transaction has the only write lock.
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR NO KEY UPDATE SKIP LOCKED",
    };
    let sql = format!(
        "SELECT subject_id, failures, failing_since, recovered_at, reported, reported_at \
         FROM subject_health WHERE user_id = ?1 AND due_at <= ?2 \
         ORDER BY failing_since, subject_id LIMIT ?3{lock}"
    );
    query_all(c, &sql, params![user, now, limit])
}

/// The error of a subject.
pub fn error(c: &mut dyn Conn, subject: &str) -> Result<Option<String>> {
    query_opt(
        c,
        "SELECT error FROM subject_health WHERE subject_id = ?1",
        params![subject],
    )
}

/// Records that the user is told of the state of these subjects. They are due again after the quiet period. Deferred.
pub fn report(
    c: &mut dyn Conn,
    subjects: &[&str],
    failing: bool,
    now: i64,
    quiet_ms: i64,
) -> Result<()> {
    let due_at = now.saturating_add(quiet_ms);
    let told = "reported = ?2, reported_at = ?3, due_at = ?4";
    update(c, subjects, told, params![failing, now, due_at])
}

/// There is nothing to tell about these subjects before they change. Deferred.
pub fn settle(c: &mut dyn Conn, subjects: &[&str]) -> Result<()> {
    update(c, subjects, "due_at = NULL", &[])
}

/// These subjects are due when they have failed for so long. A time of a clock that was set back is corrected. Deferred.
pub fn wait_for_failing(
    c: &mut dyn Conn,
    subjects: &[&str],
    now: i64,
    delay_ms: i64,
) -> Result<()> {
    let end = "failing_since = CASE WHEN failing_since < ?3 THEN failing_since ELSE ?3 END, \
               due_at = ?2 + CASE WHEN failing_since < ?3 THEN failing_since ELSE ?3 END";
    update(c, subjects, end, params![delay_ms, now])
}

/// These subjects, which were reported before, are due at the end of their quiet period. A time of a clock that was set back is
/// corrected. Deferred.
pub fn wait_for_quiet(c: &mut dyn Conn, subjects: &[&str], now: i64, quiet_ms: i64) -> Result<()> {
    let end = "reported_at = CASE WHEN reported_at < ?3 THEN reported_at ELSE ?3 END, \
               due_at = ?2 + CASE WHEN reported_at < ?3 THEN reported_at ELSE ?3 END";
    update(c, subjects, end, params![quiet_ms, now])
}

fn update(c: &mut dyn Conn, subjects: &[&str], change: &str, params: &[Value<'_>]) -> Result<()> {
    if subjects.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "UPDATE subject_health SET {change} WHERE {}",
        is_among(c.dialect(), "subject_id", "?1")
    );
    let ids = IdList::new(subjects)?;
    c.execute_later(&sql, &[&[Value::from(&ids)], params].concat())
}

/// Forgets subjects. Deferred.
pub fn remove(c: &mut dyn Conn, subjects: &[&str]) -> Result<()> {
    if subjects.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "DELETE FROM subject_health WHERE {}",
        is_among(c.dialect(), "subject_id", "?1")
    );
    c.execute_later(&sql, params![&IdList::new(subjects)?])
}

/// The subjects of a user that are due are due again then.
pub fn postpone(c: &mut dyn Conn, user: &UserId, now: i64, due_at: i64) -> Result<()> {
    set_due(c, user, now, Some(due_at))
}

/// There is nothing to tell about the subjects of a user that are due.
pub fn settle_user(c: &mut dyn Conn, user: &UserId, now: i64) -> Result<()> {
    set_due(c, user, now, None)
}

fn set_due(c: &mut dyn Conn, user: &UserId, now: i64, due_at: Option<i64>) -> Result<()> {
    c.execute(
        "UPDATE subject_health SET due_at = ?3 WHERE user_id = ?1 AND due_at <= ?2",
        params![user, now, due_at],
    )?;
    Ok(())
}

/// Makes all subjects of a user due: the settings have changed.
pub fn make_due(c: &mut dyn Conn, user: &UserId, now: i64) -> Result<()> {
    c.execute(
        "UPDATE subject_health SET due_at = ?2 WHERE user_id = ?1",
        params![user, now],
    )?;
    Ok(())
}

/// After the clock was set back: everything that is due later than `now` is looked at again.
pub fn clamp(c: &mut dyn Conn, now: i64) -> Result<()> {
    c.execute(
        "UPDATE subject_health SET due_at = ?1 WHERE due_at > ?1",
        params![now],
    )?;
    Ok(())
}

/// Forgets all subjects of a user.
pub(crate) fn remove_of_user(c: &mut dyn Conn, user: &UserId) -> Result<()> {
    c.execute_later(
        "DELETE FROM subject_health WHERE user_id = ?1",
        params![user],
    )
}
