//! Claims of the outbox's queues: each queue is worked on by one node at a time. A claim also keeps the circuit breakers of the
//! queue, so that they survive its node.
//!
//! A claim is no fence: a node that loses it may still record attempts that it made.

use serde::{Deserialize, Serialize};
use sluice_model::UserId;

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    nodes, params,
    row::{FromRow, Row, to_json},
};

/// A circuit breaker that is open, or pauses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenBreaker {
    /// The receiver; empty for a queue with a single one.
    pub peer: String,
    /// Failures in a row; zero when it only pauses.
    pub failures: u32,
    pub opened_at: i64,
    /// Nothing is sent before.
    pub open_until: i64,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueClaim {
    /// The node has the queue.
    Claimed(Vec<OpenBreaker>),
    /// This node has it, and keeps it.
    Owned(String),
}

/// The circuit breakers of a claimed queue.
struct Breakers(Vec<OpenBreaker>);

/// The end of the pause of a queue with a single receiver, as the text of its circuit breakers has it.
pub(crate) fn open_until(breakers: Option<&str>) -> Option<i64> {
    let breakers: Vec<OpenBreaker> = serde_json::from_str(breakers?).ok()?;
    breakers.iter().map(|breaker| breaker.open_until).max()
}

impl FromRow for Breakers {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Breakers(row.json_opt(0)?.unwrap_or_default()))
    }
}

/// Gives a queue to a node, unless another one that is alive has it. One that is not alive loses it only if the node
/// `may_take_over`.
pub fn claim(c: &mut dyn Conn, queue: &str, node: &str, may_take_over: bool) -> Result<QueueClaim> {
    let sql = format!(
        "INSERT INTO queue_claims (queue, owner) VALUES (?1, ?2) \
         ON CONFLICT (queue) DO UPDATE SET owner = excluded.owner WHERE {} RETURNING breakers",
        nodes::is_free(c.dialect(), "queue_claims.owner", "?2", "?3")
    );
    if let Some(Breakers(breakers)) = query_opt(c, &sql, params![queue, node, may_take_over])? {
        return Ok(QueueClaim::Claimed(breakers));
    }
    let owner: Option<Option<String>> = query_opt(
        c,
        "SELECT owner FROM queue_claims WHERE queue = ?1",
        params![queue],
    )?;
    Ok(QueueClaim::Owned(owner.flatten().unwrap_or_default()))
}

/// Saves the circuit breakers of a queue, if the node has it.
pub fn save_breakers(
    c: &mut dyn Conn,
    queue: &str,
    node: &str,
    open: &[OpenBreaker],
) -> Result<()> {
    let breakers = match open {
        [] => None,
        open => Some(to_json(&open)?),
    };
    c.execute_later(
        "UPDATE queue_claims SET breakers = ?3 WHERE queue = ?1 AND owner = ?2",
        params![queue, node, breakers.as_ref()],
    )
}

/// Gives up all queues of a node. Circuit breakers that are open stay.
pub fn release_all(c: &mut dyn Conn, node: &str) -> Result<()> {
    c.execute_later(
        "DELETE FROM queue_claims WHERE owner = ?1 AND breakers IS NULL",
        params![node],
    )?;
    c.execute_later(
        "UPDATE queue_claims SET owner = NULL WHERE owner = ?1",
        params![node],
    )
}

/// Removes the claim of a queue that is gone.
pub(crate) fn remove(c: &mut dyn Conn, queue: &str) -> Result<()> {
    c.execute_later("DELETE FROM queue_claims WHERE queue = ?1", params![queue])
}

/// Removes the claims of a user's send queues.
pub(crate) fn remove_of_user(c: &mut dyn Conn, user: &UserId) -> Result<()> {
    // `0` follows the slash.
    c.execute_later(
        "DELETE FROM queue_claims WHERE queue > ?1 || '/' AND queue < ?1 || '0'",
        params![user],
    )
}
