//! Replies of components for clients of other nodes, kept while those nodes cannot be reached.

use sluice_model::InvocationId;

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReply {
    pub invocation: InvocationId,
    /// JSON.
    pub reply: String,
}

impl FromRow for StoredReply {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(StoredReply {
            invocation: row.get(0)?,
            reply: row.get(1)?,
        })
    }
}

/// Keeps a reply for a node. The first one counts.
pub fn insert(c: &mut dyn Conn, node: &str, reply: &StoredReply, now: i64) -> Result<()> {
    c.execute_later(
        "INSERT INTO replies (node, invocation_id, created_at, reply) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (node, invocation_id) DO NOTHING",
        params![node, &reply.invocation, now, &reply.reply],
    )
}

/// Takes the replies for a node.
pub fn take(c: &mut dyn Conn, node: &str) -> Result<Vec<StoredReply>> {
    query_all(
        c,
        "DELETE FROM replies WHERE node = ?1 RETURNING invocation_id, reply",
        params![node],
    )
}

/// Removes replies that nobody waits for any more.
pub fn remove_before(c: &mut dyn Conn, time: i64) -> Result<u64> {
    c.execute("DELETE FROM replies WHERE created_at < ?1", params![time])
}
