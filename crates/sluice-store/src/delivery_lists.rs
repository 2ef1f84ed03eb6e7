//! Lists and counts of deliveries, of one webhook or of all webhooks of a user. Each query uses an index, except a page of
//! delivered ones, which are the majority.

use std::collections::HashMap;

use sluice_model::{DeliveryId, UserId, WebhookId};

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    deliveries::DeliveryState,
    delivery_history::{Delivery, Detail, columns},
    error::Result,
    id_list::{IdList, ids_in},
    page::{Page, Span},
    params,
    row::{FromRow, Row},
    value::Value,
};

/// Which deliveries to list. Both ends of the time are included; a missing end is open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub state: Option<DeliveryState>,
    pub since: Option<i64>,
    pub until: Option<i64>,
}

/// Whose deliveries to list. The caller checks that a webhook belongs to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    Webhook(&'a WebhookId),
    User(&'a UserId),
}

impl<'a> Whose<'a> {
    /// The column of a webhook `w` to compare, and the value to compare it with.
    fn column(self) -> (&'static str, Value<'a>) {
        match self {
            Whose::Webhook(webhook) => ("w.id", webhook.into()),
            Whose::User(user) => ("w.user_id", user.into()),
        }
    }
}

/// A page of deliveries, newest first. Positions are found before rows are read, because rows may be large.
pub fn page(
    c: &mut dyn Conn,
    whose: Whose<'_>,
    selection: &Selection,
    page: &Page,
    detail: Detail,
) -> Result<Vec<Delivery>> {
    let span = page.span(selection.since, selection.until);
    let state = selection.state;
    let places = match whose {
        Whose::Webhook(webhook) => {
            places(c, "w.id = ?1", webhook.into(), state, &span, page.limit)?
        }
        Whose::User(user) => places_of_user(c, user, state, span, page.limit)?,
    };
    let ids: Vec<DeliveryId> = places.into_iter().map(|place| place.id).collect();
    read(c, &ids, detail)
}

/// The position of a delivery in the list.
struct Place {
    webhook_id: WebhookId,
    created_at: i64,
    id: DeliveryId,
}

impl FromRow for Place {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Place {
            webhook_id: row.get(0)?,
            created_at: row.get(1)?,
            id: row.get(2)?,
        })
    }
}

/// The page is among the webhooks whose first delivery comes first, as many as there are rows on it, and up to where the last of
/// these begins: so hardly more is read than is shown, however many webhooks are busy.
fn places_of_user(
    c: &mut dyn Conn,
    user: &UserId,
    state: Option<DeliveryState>,
    span: Span,
    limit: u32,
) -> Result<Vec<Place>> {
    let mut heads = places(c, "w.user_id = ?1", user.into(), state, &span, 1)?;
    let ids: Vec<&WebhookId> = heads.iter().map(|head| &head.webhook_id).collect();
    let ids = IdList::new(&ids)?;
    let last = if heads.len() < limit as usize {
        None
    } else {
        heads.pop()
    };
    let span = match &last {
        Some(last) => span.short_of(last.created_at, last.id.as_str()),
        None => span,
    };
    let among = format!("w.id IN {}", ids_in(c.dialect(), "?1"));
    let mut found = places(c, &among, (&ids).into(), state, &span, limit)?;
    found.extend(last);
    found.truncate(limit as usize);
    Ok(found)
}

/// The first of all places in the span, at most `of_each` of each webhook `w` that is meant. Of a webhook, an index has them.
fn places<'a>(
    c: &mut dyn Conn,
    which: &str,
    first: Value<'a>,
    state: Option<DeliveryState>,
    span: &'a Span,
    of_each: u32,
) -> Result<Vec<Place>> {
    let nearest = format!(
        "SELECT created_at, id FROM deliveries WHERE webhook_id = w.id AND {} AND {} LIMIT ?7",
        in_state(state),
        span.condition()
    );
    let of_each_webhook = match c.dialect() {
        // The only tables that SQLite makes anew for each row of another are those of functions.
        Dialect::Sqlite => format!(
            "SELECT w.id AS webhook_id, d.value ->> 0 AS created_at, d.value ->> 1 AS id \
             FROM webhooks w CROSS JOIN json_each((SELECT \
             json_group_array(json_array(created_at, id)) FROM ({nearest}))) d"
        ),
        Dialect::Postgres => format!(
            "SELECT w.id AS webhook_id, d.created_at AS created_at, d.id AS id FROM webhooks w \
             CROSS JOIN LATERAL ({nearest}) d"
        ),
    };
    // Outside, where names mean these columns and no others.
    let sql = format!(
        "SELECT webhook_id, created_at, id FROM ({of_each_webhook} WHERE {which}) p \
         ORDER BY {} LIMIT ?6",
        span.order()
    );
    let mut params = span.params(first).to_vec();
    params.push(of_each.into());
    query_all(c, &sql, &params)
}

/// How many deliveries [`page`] has in all.
pub fn count(c: &mut dyn Conn, whose: Whose<'_>, selection: &Selection) -> Result<u64> {
    let everything = Page {
        limit: 0,
        after: None,
        before: None,
    };
    let span = everything.span(selection.since, selection.until);
    let (column, value) = whose.column();
    let of_webhook = |state| {
        format!(
            "(SELECT COUNT(*) FROM deliveries WHERE webhook_id = w.id AND {} \
             AND (created_at, id) < (?2, ?3) AND (created_at, id) > (?4, ?5))",
            in_state(state)
        )
    };
    let number = match selection.state {
        // There is no index on these alone.
        Some(DeliveryState::Delivered) => format!(
            "{} - {} - {}",
            of_webhook(None),
            of_webhook(Some(DeliveryState::Pending)),
            of_webhook(Some(DeliveryState::Failed))
        ),
        state => of_webhook(state),
    };
    let sql = format!(
        "SELECT CAST(COALESCE(SUM({number}), 0) AS BIGINT) FROM webhooks w WHERE {column} = ?1"
    );
    query_one(c, &sql, &span.params(value)[..5])
}

/// Conditions as the partial indexes have them, so that both databases use these.
fn in_state(state: Option<DeliveryState>) -> &'static str {
    match state {
        None => "TRUE",
        Some(DeliveryState::Pending) => "due_at IS NOT NULL",
        Some(DeliveryState::Failed) => "state = 'failed'",
        Some(DeliveryState::Delivered) => "state = 'delivered'",
    }
}

fn read(c: &mut dyn Conn, ids: &[DeliveryId], detail: Detail) -> Result<Vec<Delivery>> {
    let sql = format!(
        "SELECT {} FROM deliveries d JOIN payloads p ON p.id = d.payload_id WHERE d.id IN {}",
        columns(detail),
        ids_in(c.dialect(), "?1")
    );
    let mut deliveries: Vec<Delivery> = query_all(c, &sql, params![&IdList::new(ids)?])?;
    deliveries.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(deliveries)
}

/// The delivery counts of a webhook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pending deliveries, due now or later.
    pub waiting: u64,
    /// Failed deliveries that are still stored.
    pub failed: u64,
    /// When an event last reached it.
    pub delivered_at: Option<i64>,
}

impl FromRow for (WebhookId, Tally) {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let tally = Tally {
            waiting: row.get(1)?,
            failed: row.get(2)?,
            delivered_at: row.get(3)?,
        };
        Ok((row.get(0)?, tally))
    }
}

/// Pending and failed deliveries of a webhook `w`. There is an index on each.
const WAITING: &str =
    "(SELECT COUNT(*) FROM deliveries d WHERE d.webhook_id = w.id AND d.due_at IS NOT NULL)";
const FAILED: &str =
    "(SELECT COUNT(*) FROM deliveries d WHERE d.webhook_id = w.id AND d.state = 'failed')";

/// Counts for the webhooks that exist, of any user.
pub fn tallies(c: &mut dyn Conn, webhooks: &[WebhookId]) -> Result<HashMap<WebhookId, Tally>> {
    let sql = format!(
        "SELECT w.id, {WAITING}, {FAILED}, w.delivered_at FROM webhooks w WHERE w.id IN {}",
        ids_in(c.dialect(), "?1")
    );
    let tallies: Vec<(WebhookId, Tally)> = query_all(c, &sql, params![&IdList::new(webhooks)?])?;
    Ok(tallies.into_iter().collect())
}

/// The delivery counts of all webhooks of a user.
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
    let sum = |count: &str| format!("CAST(COALESCE(SUM({count}), 0) AS BIGINT)");
    let sql = format!(
        "SELECT {}, {} FROM webhooks w WHERE w.user_id = ?1",
        sum(WAITING),
        sum(FAILED)
    );
    query_one(c, &sql, params![user])
}
