//! Whether webhooks work, as every node sees it: failures in a row, and the pause of the circuit breaker.

use std::collections::HashMap;

use sluice_model::{UserId, WebhookId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    id_list::{IdList, ids_in},
    params, queue_claims,
    row::{FromRow, Row},
};

/// A webhook whose last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingWebhook {
    pub id: WebhookId,
    /// Its address, for one without a name.
    pub name: String,
    pub active: bool,
    /// The first failed attempt since one succeeded.
    pub since: i64,
    /// The error of the last attempt.
    pub error: String,
    /// The circuit breaker pauses until then, or did.
    pub open_until: Option<i64>,
    /// When its next delivery is due, which may be in the past; none when no delivery waits.
    pub next_due: Option<i64>,
}

impl FromRow for FailingWebhook {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let error: Option<String> = row.get(4)?;
        let breakers: Option<String> = row.get(5)?;
        Ok(FailingWebhook {
            id: row.get(0)?,
            name: row.get(1)?,
            active: row.get(2)?,
            since: row.get(3)?,
            error: error.unwrap_or_default(),
            open_until: queue_claims::open_until(breakers.as_deref()),
            next_due: row.get(6)?,
        })
    }
}

const FAILING: &str = "SELECT w.id, COALESCE(w.name, w.url), w.active, w.failing_since, w.failure, \
    q.breakers, (SELECT MIN(d.due_at) FROM deliveries d WHERE d.webhook_id = w.id \
    AND d.due_at IS NOT NULL) FROM webhooks w LEFT JOIN queue_claims q ON q.queue = w.id \
    WHERE w.failing_since IS NOT NULL";

/// Those of these webhooks, of any user, that fail.
pub fn failing(
    c: &mut dyn Conn,
    webhooks: &[WebhookId],
) -> Result<HashMap<WebhookId, FailingWebhook>> {
    let sql = format!("{FAILING} AND w.id IN {}", ids_in(c.dialect(), "?1"));
    let failing: Vec<FailingWebhook> = query_all(c, &sql, params![&IdList::new(webhooks)?])?;
    let by_id = failing.into_iter().map(|one| (one.id.clone(), one));
    Ok(by_id.collect())
}

/// The active webhooks of a user that fail, the one that has failed longest first.
pub fn failing_of_user(c: &mut dyn Conn, user: &UserId) -> Result<Vec<FailingWebhook>> {
    let sql = format!("{FAILING} AND w.user_id = ?1 AND w.active ORDER BY w.failing_since, w.id");
    query_all(c, &sql, params![user])
}

/// Active webhooks of all users whose last attempt failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failing {
    pub all: u64,
    /// Those of them whose circuit breaker pauses.
    pub paused: u64,
}

pub fn failing_of_all_users(c: &mut dyn Conn, now_ms: i64) -> Result<Failing> {
    let mut failing = Failing::default();
    c.query(
        "SELECT (SELECT q.breakers FROM queue_claims q WHERE q.queue = w.id) FROM webhooks w \
         WHERE w.failing_since > 0 AND w.active",
        &[],
        &mut |row| {
            let breakers: Option<String> = row.get(0)?;
            let open_until = queue_claims::open_until(breakers.as_deref());
            failing.all += 1;
            failing.paused += u64::from(open_until.is_some_and(|until| until > now_ms));
            Ok(())
        },
    )?;
    Ok(failing)
}
