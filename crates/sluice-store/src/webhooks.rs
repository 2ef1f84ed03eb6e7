//! Webhooks: addresses that events are delivered to.

use std::collections::HashMap;

use sluice_model::{UserId, WebhookId};

use crate::{
    conn::{Conn, Dialect, query_all, query_one, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    page::Page,
    params, queue_claims,
    row::{FromRow, Row},
    search::contains,
    subject_health,
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub user_id: UserId,
    pub name: Option<String>,
    pub description: Option<String>,
    pub url: String,
    pub active: bool,
    /// Deliveries that may be under way at once; only one keeps the order of events.
    pub concurrency: u32,
    /// Sealed.
    pub secret: String,
    /// The secret before the last rotation.
    pub previous: Option<PreviousSecret>,
    pub created_at: i64,
    pub updated_at: i64,
}

/// A secret that was replaced and still signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousSecret {
    /// Sealed.
    pub secret: String,
    pub until: i64,
}

const COLUMNS: &str = "id, user_id, name, description, url, active, concurrency, secret, \
                       previous_secret, previous_until, created_at, updated_at";

impl FromRow for Webhook {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let secret: Option<String> = row.get(8)?;
        let until: Option<i64> = row.get(9)?;
        Ok(Webhook {
            id: row.get(0)?,
            user_id: row.get(1)?,
            name: row.get(2)?,
            description: row.get(3)?,
            url: row.get(4)?,
            active: row.get(5)?,
            concurrency: row.get(6)?,
            secret: row.get(7)?,
            previous: secret
                .zip(until)
                .map(|(secret, until)| PreviousSecret { secret, until }),
            created_at: row.get(10)?,
            updated_at: row.get(11)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, webhook: &Webhook) -> Result<()> {
    let Webhook {
        id,
        user_id,
        name,
        description,
        url,
        active,
        concurrency,
        secret,
        previous,
        created_at,
        updated_at,
    } = webhook;
    c.execute(
        &format!(
            "INSERT INTO webhooks ({COLUMNS}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        ),
        params![
            id,
            user_id,
            name.as_ref(),
            description.as_ref(),
            url,
            *active,
            *concurrency,
            secret,
            previous.as_ref().map(|previous| &previous.secret),
            previous.as_ref().map(|previous| previous.until),
            *created_at,
            *updated_at
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &WebhookId) -> Result<Option<Webhook>> {
    query_opt(
        c,
        &format!("SELECT {COLUMNS} FROM webhooks WHERE id = ?1 AND user_id = ?2"),
        params![id, user],
    )
}

/// As [`get`], and locks the webhook until the transaction ends.
pub fn hold(c: &mut dyn Conn, user: &UserId, id: &WebhookId) -> Result<Option<Webhook>> {
    // The lock that both databases have.
    c.execute(
        "UPDATE webhooks SET id = id WHERE id = ?1 AND user_id = ?2",
        params![id, user],
    )?;
    get(c, user, id)
}

/// A webhook of any user: for its worker.
pub fn get_for_delivery(c: &mut dyn Conn, id: &WebhookId) -> Result<Option<Webhook>> {
    query_opt(
        c,
        &format!("SELECT {COLUMNS} FROM webhooks WHERE id = ?1"),
        params![id],
    )
}

/// Which of a user's webhooks to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookFilter {
    text: Option<String>,
}

impl WebhookFilter {
    /// `text` is part of the name or the address; letters of ASCII are found in either case.
    pub fn new(text: Option<&str>) -> WebhookFilter {
        WebhookFilter {
            text: text.map(str::to_ascii_lowercase),
        }
    }

    /// A further condition, whose parameter follows those that are there.
    fn condition<'a>(&'a self, dialect: Dialect, params: &mut Vec<Value<'a>>) -> String {
        let in_text = self.text.as_ref().map(|text| {
            params.push(text.into());
            let needle = format!("?{}", params.len());
            let in_name = contains(dialect, "COALESCE(name, '')", &needle);
            let in_url = contains(dialect, "url", &needle);
            format!(" AND ({in_name} OR {in_url})")
        });
        in_text.unwrap_or_default()
    }
}

/// A page of a user's webhooks that the filter admits, newest first.
pub fn page(
    c: &mut dyn Conn,
    user: &UserId,
    filter: &WebhookFilter,
    page: &Page,
) -> Result<Vec<Webhook>> {
    let mut params = page.params(Value::from(user)).to_vec();
    let sql = format!(
        "SELECT {COLUMNS} FROM webhooks WHERE user_id = ?1{} AND {} LIMIT ?6",
        filter.condition(c.dialect(), &mut params),
        page.condition()
    );
    let mut webhooks: Vec<Webhook> = query_all(c, &sql, &params)?;
    webhooks.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(webhooks)
}

/// How many webhooks [`page`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId, filter: &WebhookFilter) -> Result<u64> {
    let mut params = vec![Value::from(user)];
    let sql = format!(
        "SELECT COUNT(*) FROM webhooks WHERE user_id = ?1{}",
        filter.condition(c.dialect(), &mut params)
    );
    query_one(c, &sql, &params)
}

/// The user's webhooks that are delivered to.
pub fn active(c: &mut dyn Conn, user: &UserId) -> Result<Vec<WebhookId>> {
    query_all(
        c,
        "SELECT id FROM webhooks WHERE user_id = ?1 AND active ORDER BY created_at, id",
        params![user],
    )
}

/// Saves all fields of a webhook that can change. Failures of another URL, or from before it was switched on or off, do not
/// count. Returns whether it existed.
pub fn update(c: &mut dyn Conn, webhook: &Webhook) -> Result<bool> {
    let Webhook {
        id,
        user_id,
        name,
        description,
        url,
        active,
        concurrency,
        secret,
        previous,
        created_at: _,
        updated_at,
    } = webhook;
    c.execute(
        "DELETE FROM subject_health WHERE subject_id = (SELECT id FROM webhooks \
         WHERE id = ?1 AND user_id = ?2 AND (url <> ?3 OR active <> ?4))",
        params![id, user_id, url, *active],
    )?;
    let updated = c.execute(
        "UPDATE webhooks SET name = ?3, description = ?4, url = ?5, active = ?6, \
         concurrency = ?7, secret = ?8, previous_secret = ?9, previous_until = ?10, \
         updated_at = ?11, \
         failing_since = CASE WHEN url = ?5 AND active = ?6 THEN failing_since END, \
         failure = CASE WHEN url = ?5 AND active = ?6 THEN failure END \
         WHERE id = ?1 AND user_id = ?2",
        params![
            id,
            user_id,
            name.as_ref(),
            description.as_ref(),
            url,
            *active,
            *concurrency,
            secret,
            previous.as_ref().map(|previous| &previous.secret),
            previous.as_ref().map(|previous| previous.until),
            *updated_at
        ],
    )?;
    Ok(updated == 1)
}

/// Switches a webhook of any user off: its receiver answered that it is gone. Returns it, unless it was off already.
pub fn deactivate(c: &mut dyn Conn, id: &WebhookId, now_ms: i64) -> Result<Option<Webhook>> {
    let sql = format!(
        "UPDATE webhooks SET active = ?2, updated_at = ?3 WHERE id = ?1 AND active RETURNING {COLUMNS}"
    );
    query_opt(c, &sql, params![id, false, now_ms])
}

/// Records that an event reached a webhook of any user: it works.
pub fn delivered(c: &mut dyn Conn, id: &WebhookId, at_ms: i64) -> Result<()> {
    c.execute(
        "UPDATE webhooks SET delivered_at = ?2, failing_since = NULL, failure = NULL WHERE id = ?1 \
         AND (delivered_at IS NULL OR delivered_at < ?2 OR failing_since IS NOT NULL)",
        params![id, at_ms],
    )?;
    subject_health::webhook_works(c, id, at_ms)
}

/// Records that attempts to a webhook of any user failed: the time of the first and the error of the last one.
pub fn failed(c: &mut dyn Conn, id: &WebhookId, first_ms: i64, error: &str) -> Result<()> {
    let changed = c.execute(
        "UPDATE webhooks SET failing_since = COALESCE(failing_since, ?2), failure = ?3 \
         WHERE id = ?1 AND (failing_since IS NULL OR failure IS DISTINCT FROM ?3)",
        params![id, first_ms, error],
    )?;
    if changed > 0 {
        subject_health::webhook_failed(c, id, first_ms, error)?;
    }
    Ok(())
}

/// Which of these webhooks of any users were changed or removed since: each comes with the time of the last change that is
/// known.
pub fn changed(c: &mut dyn Conn, known: &[(WebhookId, i64)]) -> Result<Vec<WebhookId>> {
    let ids: Vec<&WebhookId> = known.iter().map(|(id, _)| id).collect();
    let sql = format!(
        "SELECT id, updated_at FROM webhooks WHERE id IN {}",
        ids_in(c.dialect(), "?1")
    );
    let found: Vec<(WebhookId, i64)> = query_all(c, &sql, params![&IdList::new(&ids)?])?;
    let found: HashMap<WebhookId, i64> = found.into_iter().collect();
    let changed = known.iter().filter(|(id, at)| found.get(id) != Some(at));
    Ok(changed.map(|(id, _)| id.clone()).collect())
}

/// Removes a webhook, its subscriptions and the claim of its queue. Returns whether it existed. Its deliveries are removed in
/// separate batches.
pub fn remove(c: &mut dyn Conn, user: &UserId, id: &WebhookId) -> Result<bool> {
    // The row first: this waits for a transaction that locks it to add a subscription, and then sees that.
    let removed = c.execute(
        "DELETE FROM webhooks WHERE id = ?1 AND user_id = ?2",
        params![id, user],
    )?;
    if removed == 0 {
        return Ok(false);
    }
    c.execute(
        "DELETE FROM subscriptions WHERE listener_id = ?1",
        params![id],
    )?;
    subject_health::forget(c, id.as_str())?;
    queue_claims::remove(c, id.as_str())?;
    Ok(true)
}
