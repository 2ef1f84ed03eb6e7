//! Notifications of the server among the sends: messages to a user by mail and to a webhook.

use sluice_model::UserId;

use super::{SendKind, SendState};
use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// The state of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentNotification {
    pub state: SendState,
    pub tries: u32,
    /// The result of the last attempt.
    pub result: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl FromRow for SentNotification {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SentNotification {
            state: row.get(0)?,
            tries: row.get(1)?,
            result: row.get(2)?,
            created_at: row.get(3)?,
            updated_at: row.get(4)?,
        })
    }
}

/// The last notification of a kind to a user.
pub fn last(c: &mut dyn Conn, user: &UserId, kind: SendKind) -> Result<Option<SentNotification>> {
    query_opt(
        c,
        "SELECT state, tries, result, created_at, updated_at FROM sends \
         WHERE workflow_id IS NULL AND user_id = ?1 AND kind = ?2 ORDER BY id DESC LIMIT 1",
        params![user, kind],
    )
}

/// Removes the notifications of all users that are over and were last tried before that time, `limit` of them. Returns how many.
pub fn prune(c: &mut dyn Conn, before: i64, limit: u32) -> Result<u64> {
    c.execute(
        "DELETE FROM sends WHERE id IN (SELECT id FROM sends WHERE workflow_id IS NULL \
         AND due_at IS NULL AND updated_at < ?1 ORDER BY user_id, id LIMIT ?2)",
        params![before, limit],
    )
}

/// Removes all notifications to a user.
pub(crate) fn remove_of_user(c: &mut dyn Conn, user: &UserId) -> Result<()> {
    c.execute_later(
        "DELETE FROM sends WHERE workflow_id IS NULL AND user_id = ?1",
        params![user],
    )
}
