//! Lists of deliveries, of one webhook or of several, and how many there are. However many are kept, an index has the
//! answer, except for a page of those that were delivered: they are most of what there is.

use sluice_model::{Cursor, UserId, WebhookId};

use crate::{
    conn::{Conn, query_all, query_one},
    deliveries::DeliveryState,
    delivery_history::{Delivery, Detail, columns},
    error::Result,
    page::{Page, Span},
    params,
    row::{FromRow, Row},
    value::Value,
};

/// Which deliveries are wanted. Both ends of the time are included; those that are not given are open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub state: Option<DeliveryState>,
    pub since: Option<i64>,
    pub until: Option<i64>,
}

/// The place of a delivery in a list.
struct Place(Cursor);

impl FromRow for Place {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Place(Cursor {
            at_ms: row.get(0)?,
            id: row.get(1)?,
        }))
    }
}

/// The user's webhooks that have deliveries.
pub fn webhooks(c: &mut dyn Conn, user: &UserId) -> Result<Vec<WebhookId>> {
    query_all(
        c,
        "SELECT w.id FROM webhooks w WHERE w.user_id = ?1 \
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id) ORDER BY w.id",
        params![user],
    )
}

/// A page of the deliveries of some webhooks, newest first. Places are found before rows are read, which may be large.
pub fn page(
    c: &mut dyn Conn,
    webhooks: &[WebhookId],
    selection: &Selection,
    page: &Page,
    detail: Detail,
) -> Result<Vec<Delivery>> {
    let mut span = page.span(selection.since, selection.until);
    let mut found = Vec::new();
    for webhook in webhooks {
        let sql = format!(
            "SELECT created_at, id FROM deliveries WHERE webhook_id = ?1 AND {} AND {} LIMIT ?6",
            in_state(selection.state),
            span.condition()
        );
        let places: Vec<Place> = query_all(c, &sql, &span.params(Value::from(webhook)))?;
        found.extend(places.into_iter().map(|Place(place)| place));
        span.narrow(&mut found);
    }
    read(c, &found, detail)
}

/// How many deliveries [`page`] has in all.
pub fn count(c: &mut dyn Conn, webhooks: &[WebhookId], selection: &Selection) -> Result<u64> {
    let whole = Page {
        limit: 0,
        after: None,
        before: None,
    };
    let span = whole.span(selection.since, selection.until);
    let mut total = 0;
    for webhook in webhooks {
        let mut count = |state| count_one(c, webhook, state, &span);
        total += match selection.state {
            // There is no index of these alone.
            Some(DeliveryState::Delivered) => {
                let others = count(Some(DeliveryState::Pending))?
                    .saturating_add(count(Some(DeliveryState::Failed))?);
                count(None)?.saturating_sub(others)
            }
            state => count(state)?,
        };
    }
    Ok(total)
}

fn count_one(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    state: Option<DeliveryState>,
    span: &Span,
) -> Result<u64> {
    let sql = format!(
        "SELECT COUNT(*) FROM deliveries WHERE webhook_id = ?1 AND {} \
         AND (created_at, id) < (?2, ?3) AND (created_at, id) > (?4, ?5)",
        in_state(state)
    );
    query_one(c, &sql, &span.params(Value::from(webhook))[..5])
}

/// In the words of the indexes, so that both databases see that one of them will do.
fn in_state(state: Option<DeliveryState>) -> &'static str {
    match state {
        None => "TRUE",
        Some(DeliveryState::Pending) => "due_at IS NOT NULL",
        Some(DeliveryState::Failed) => "state = 'failed'",
        Some(DeliveryState::Delivered) => "state = 'delivered'",
    }
}

fn read(c: &mut dyn Conn, places: &[Cursor], detail: Detail) -> Result<Vec<Delivery>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<_> = (1..=places.len()).map(|n| format!("?{n}")).collect();
    let sql = format!(
        "SELECT {} FROM deliveries d JOIN payloads p ON p.id = d.payload_id WHERE d.id IN ({})",
        columns(detail),
        numbers.join(", ")
    );
    let ids: Vec<_> = places.iter().map(|place| Value::from(&place.id)).collect();
    let mut deliveries: Vec<Delivery> = query_all(c, &sql, &ids)?;
    deliveries.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(deliveries)
}

/// How a webhook is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Deliveries that are tried, now or later.
    pub waiting: u64,
    /// Deliveries that were given up, of those that are kept.
    pub failed: u64,
    /// When an event last reached it.
    pub delivered_at: Option<i64>,
}

impl FromRow for Tally {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Tally {
            waiting: row.get(0)?,
            failed: row.get(1)?,
            delivered_at: row.get(2)?,
        })
    }
}

/// Of a webhook that is there, whoever's it is.
pub fn tally(c: &mut dyn Conn, webhook: &WebhookId) -> Result<Tally> {
    query_one(
        c,
        "SELECT (SELECT COUNT(*) FROM deliveries WHERE webhook_id = ?1 AND due_at IS NOT NULL), \
         (SELECT COUNT(*) FROM deliveries WHERE webhook_id = ?1 AND state = 'failed'), \
         (SELECT delivered_at FROM webhooks WHERE id = ?1)",
        params![webhook],
    )
}

/// How the webhooks of a user are doing together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserTally {
    pub waiting: u64,
    pub failed: u64,
}

impl FromRow for UserTally {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(UserTally {
            waiting: row.get(0)?,
            failed: row.get(1)?,
        })
    }
}

pub fn tally_of_user(c: &mut dyn Conn, user: &UserId) -> Result<UserTally> {
    // Webhook by webhook: there is an index on what waits for each one, and on what failed.
    query_one(
        c,
        "SELECT (SELECT COUNT(*) FROM webhooks w CROSS JOIN deliveries d \
         WHERE w.user_id = ?1 AND d.webhook_id = w.id AND d.due_at IS NOT NULL), \
         (SELECT COUNT(*) FROM webhooks w CROSS JOIN deliveries d \
         WHERE w.user_id = ?1 AND d.webhook_id = w.id AND d.state = 'failed')",
        params![user],
    )
}
