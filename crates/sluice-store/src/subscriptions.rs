//! Subscriptions: which listener gets which channel of which emitter.

use sluice_model::{EmitterId, SubscriptionId, UserId};

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    params,
    routes::{ALL_SOURCES, ALL_WORKFLOWS, CREATED_LATER, Listener, other_name},
    row::{FromRow, Row},
    value::{FromValue, Value, text},
};

/// The prefix of the workspace of an account, which has the rest of its id.
pub const WORKSPACE: &str = "o_";

/// Whose events are subscribed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Emitter {
    One(EmitterId),
    AllSources,
    AllWorkflows,
    /// All sources and workflows of the account.
    Account(UserId),
    /// An auto-subscription: every emitter gets a row of its own when it is created.
    CreatedLater,
}

impl Emitter {
    pub fn parse(text: &str) -> Option<Emitter> {
        match text {
            ALL_SOURCES => Some(Emitter::AllSources),
            ALL_WORKFLOWS => Some(Emitter::AllWorkflows),
            CREATED_LATER => Some(Emitter::CreatedLater),
            id => match account(id) {
                Some(account) => Some(Emitter::Account(account)),
                None => EmitterId::parse(id).map(Emitter::One),
            },
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Emitter::One(id) => id.as_str(),
            Emitter::AllSources => ALL_SOURCES,
            Emitter::AllWorkflows => ALL_WORKFLOWS,
            Emitter::Account(id) => id.as_str(),
            Emitter::CreatedLater => CREATED_LATER,
        }
    }

    /// The value by which commits find a subscription: its emitter, or its user if it has several.
    fn route<'a>(&'a self, user: &'a UserId) -> &'a str {
        match self {
            Emitter::One(id) => id.as_str(),
            Emitter::AllSources | Emitter::AllWorkflows | Emitter::Account(_) => user.as_str(),
            // Subscriptions to emitters that are created later have no events.
            Emitter::CreatedLater => CREATED_LATER,
        }
    }
}

/// The id of an account, also as that of its workspace: `u_a` and `o_a`.
fn account(id: &str) -> Option<UserId> {
    match id.strip_prefix(WORKSPACE) {
        Some(tail) => UserId::parse(&format!("{}{tail}", UserId::PREFIX)),
        None => UserId::parse(id),
    }
}

impl FromValue for Emitter {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).and_then(Emitter::parse)
    }
}

impl FromValue for Listener {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).and_then(Listener::parse)
    }
}

/// The two ends of a subscription. Each user has it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub emitter: Emitter,
    /// As it was given: the default channel has two names.
    pub event_name: String,
    pub listener: Listener,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub id: SubscriptionId,
    pub user_id: UserId,
    pub connects: Connection,
    pub created_at: i64,
}

const COLUMNS: &str = "id, user_id, emitter_id, event_name, listener_id, created_at";

impl FromRow for Subscription {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Subscription {
            id: row.get(0)?,
            user_id: row.get(1)?,
            connects: Connection {
                emitter: row.get(2)?,
                event_name: row.get(3)?,
                listener: row.get(4)?,
            },
            created_at: row.get(5)?,
        })
    }
}

/// Adds a subscription, unless the user has one that connects the same. Returns the one that is stored.
pub fn ensure(c: &mut dyn Conn, subscription: &Subscription) -> Result<Subscription> {
    let Subscription {
        id,
        user_id,
        connects:
            Connection {
                emitter,
                event_name,
                listener,
            },
        created_at,
    } = subscription;
    c.execute(
        &format!(
            "INSERT INTO subscriptions ({COLUMNS}, route) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT (emitter_id, user_id, event_name, listener_id) DO NOTHING"
        ),
        params![
            id,
            user_id,
            emitter.as_str(),
            event_name,
            listener.as_str(),
            *created_at,
            emitter.route(user_id)
        ],
    )?;
    query_one(
        c,
        &format!(
            "SELECT {COLUMNS} FROM subscriptions WHERE emitter_id = ?1 AND user_id = ?2 \
             AND event_name = ?3 AND listener_id = ?4"
        ),
        params![emitter.as_str(), user_id, event_name, listener.as_str()],
    )
}

/// All of a user's, newest first.
pub fn list(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Subscription>> {
    query_all(
        c,
        &format!(
            "SELECT {COLUMNS} FROM subscriptions WHERE user_id = ?1 \
             ORDER BY created_at DESC, id DESC"
        ),
        params![user],
    )
}

/// The user's auto-subscriptions, by listener.
pub fn created_later(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Subscription>> {
    query_all(
        c,
        &format!(
            "SELECT {COLUMNS} FROM subscriptions WHERE emitter_id = ?1 AND user_id = ?2 \
             ORDER BY listener_id, event_name"
        ),
        params![CREATED_LATER, user],
    )
}

/// Removes the subscription that connects exactly this, or else the one under the other name of the same channel.
/// Returns whether there was one.
pub fn remove(c: &mut dyn Conn, user: &UserId, connects: &Connection) -> Result<bool> {
    let Connection {
        emitter,
        event_name,
        listener,
    } = connects;
    for name in std::iter::once(event_name.as_str()).chain(other_name(event_name)) {
        let removed = c.execute(
            "DELETE FROM subscriptions WHERE emitter_id = ?1 AND user_id = ?2 \
             AND event_name = ?3 AND listener_id = ?4",
            params![emitter.as_str(), user, name, listener.as_str()],
        )?;
        if removed > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
