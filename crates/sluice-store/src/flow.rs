//! The data of an account's map: all emitters and listeners, with few fields.

use std::collections::HashMap;

use sluice_model::{ComponentId, UserId, WebhookId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// A source, a workflow or a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    pub id: String,
    /// For a webhook without a name, its address.
    pub name: String,
    /// Webhooks have none.
    pub name_slug: Option<String>,
    pub active: bool,
    /// Of a source.
    pub component_id: Option<ComponentId>,
}

impl FromRow for Party {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Party {
            id: row.get(0)?,
            name: row.get(1)?,
            name_slug: row.get(2)?,
            active: row.get(3)?,
            component_id: row.get(4)?,
        })
    }
}

/// The user's live sources.
pub fn sources(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Party>> {
    query_all(
        c,
        "SELECT id, name, name_slug, active, component_id FROM sources \
         WHERE user_id = ?1 AND phase = 'live'",
        params![user],
    )
}

pub fn workflows(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Party>> {
    query_all(
        c,
        "SELECT id, name, name_slug, active, NULL FROM workflows \
         WHERE user_id = ?1 AND NOT internal",
        params![user],
    )
}

pub fn webhooks(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Party>> {
    query_all(
        c,
        "SELECT id, COALESCE(name, url), NULL, active, NULL FROM webhooks WHERE user_id = ?1",
        params![user],
    )
}

/// The number of pending deliveries of each of the user's webhooks. Webhooks without any are left out.
pub fn waiting(c: &mut dyn Conn, user: &UserId) -> Result<HashMap<WebhookId, u64>> {
    let sql = "SELECT d.webhook_id, COUNT(*) FROM webhooks w CROSS JOIN deliveries d \
         WHERE w.user_id = ?1 AND d.webhook_id = w.id AND d.due_at IS NOT NULL \
         GROUP BY d.webhook_id";
    let counts: Vec<(WebhookId, u64)> = query_all(c, sql, params![user])?;
    Ok(counts.into_iter().collect())
}

/// As [`waiting`], for failed deliveries that were made since a time.
pub fn failed(c: &mut dyn Conn, user: &UserId, since_ms: i64) -> Result<HashMap<WebhookId, u64>> {
    let sql = "SELECT d.webhook_id, COUNT(*) FROM webhooks w CROSS JOIN deliveries d \
         WHERE w.user_id = ?1 AND d.webhook_id = w.id AND d.state = 'failed' \
         AND d.created_at >= ?2 GROUP BY d.webhook_id";
    let counts: Vec<(WebhookId, u64)> = query_all(c, sql, params![user, since_ms])?;
    Ok(counts.into_iter().collect())
}
