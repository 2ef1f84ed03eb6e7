//! The servers of one database: each holds a lease, which it renews every second. All times are those of the database's clock,
//! so the clocks of servers do not matter.

use std::borrow::Cow;

use crate::{
    conn::{Conn, Dialect, Query, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
    text_enum::text_enum,
    value::Value,
};

/// A node whose lease was not renewed for this long is not alive.
pub const LEASE_MS: i64 = 3_000;

/// Rows of nodes that ended are kept for this long, so that people can see them.
const KEPT_MS: i64 = 600_000;

/// Any number that no other program is likely to lock.
const JOIN_LOCK: i64 = 7_356_114_902_318;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    Active,
    /// It finishes its work and takes no more.
    Draining,
    /// It has ended.
    Stopped,
}

text_enum!(NodeState {
    Active = "active",
    Draining = "draining",
    Stopped = "stopped",
});

/// A server, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNode {
    pub incarnation: String,
    pub name: String,
    pub public_url: String,
    pub version: String,
    pub protocol: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub incarnation: String,
    pub name: String,
    pub public_url: String,
    pub state: NodeState,
    pub version: String,
    pub protocol: i64,
    pub started_at: i64,
    /// How much of its lease is left. Not positive when it is not alive.
    pub lease_left_ms: i64,
}

impl Node {
    pub fn is_alive(&self) -> bool {
        self.lease_left_ms > 0
    }
}

impl FromRow for Node {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Node {
            incarnation: row.get(0)?,
            name: row.get(1)?,
            public_url: row.get(2)?,
            state: row.get(3)?,
            version: row.get(4)?,
            protocol: row.get(5)?,
            started_at: row.get(6)?,
            lease_left_ms: row.get(7)?,
        })
    }
}

/// The time of the database in milliseconds, as an expression.
pub(crate) fn now(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "CAST(unixepoch('subsec') * 1000 AS BIGINT)",
        Dialect::Postgres => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
    }
}

/// All nodes that are known, by their start.
pub fn list(c: &mut dyn Conn) -> Result<Vec<Node>> {
    let sql = list_sql(c.dialect());
    query_all(c, &sql, &[])
}

fn list_sql(dialect: Dialect) -> String {
    format!(
        "SELECT incarnation, name, public_url, state, version, protocol, started_at, \
         expires_at - {} FROM nodes ORDER BY started_at, incarnation",
        now(dialect)
    )
}

/// Makes other nodes wait that join now, until the transaction ends.
pub fn lock_joins(c: &mut dyn Conn) -> Result<()> {
    match c.dialect() {
        // The transaction has the only write lock.
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => c.query(
            "SELECT pg_advisory_xact_lock(?1)",
            params![JOIN_LOCK],
            &mut |_| Ok(()),
        ),
    }
}

/// Adds a node with a new lease, and forgets nodes that ended long ago.
pub fn insert(c: &mut dyn Conn, node: &NewNode) -> Result<()> {
    let now = now(c.dialect());
    c.execute_later(
        &format!("DELETE FROM nodes WHERE expires_at < {now} - ?1"),
        params![KEPT_MS],
    )?;
    let NewNode {
        incarnation,
        name,
        public_url,
        version,
        protocol,
    } = node;
    c.execute_later(
        &format!(
            "INSERT INTO nodes (incarnation, name, public_url, state, version, protocol, \
             started_at, expires_at) VALUES (?1, ?2, ?3, 'active', ?4, ?5, {now}, {now} + ?6)"
        ),
        params![incarnation, name, public_url, version, *protocol, LEASE_MS],
    )
}

/// Ends the leases of all nodes but one. For a server that is known to be alone.
pub fn end_others(c: &mut dyn Conn, incarnation: &str) -> Result<()> {
    let sql = format!(
        "UPDATE nodes SET state = 'stopped', expires_at = {} \
         WHERE incarnation <> ?1 AND expires_at > {0}",
        now(c.dialect())
    );
    c.execute_later(&sql, params![incarnation])
}

/// Ends the lease of a node: others may take over at once.
pub fn leave(c: &mut dyn Conn, incarnation: &str) -> Result<()> {
    let sql = format!(
        "UPDATE nodes SET state = 'stopped', expires_at = {} WHERE incarnation = ?1",
        now(c.dialect())
    );
    c.execute_later(&sql, params![incarnation])
}

/// Renews a lease and reads all nodes. `None` when the node is not known any more.
pub fn renew(c: &mut dyn Conn, incarnation: &str, state: NodeState) -> Result<Option<Vec<Node>>> {
    let mut renewal = Renewal {
        incarnation,
        state,
        is_known: false,
    };
    let mut list = List(Vec::new());
    c.query_together(&mut [&mut renewal, &mut list])?;
    Ok(renewal.is_known.then_some(list.0))
}

struct Renewal<'a> {
    incarnation: &'a str,
    state: NodeState,
    is_known: bool,
}

impl<'a> Query<'a> for Renewal<'a> {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        let now = now(dialect);
        format!(
            "UPDATE nodes SET state = ?2, expires_at = {now} + ?3 WHERE incarnation = ?1 \
             RETURNING expires_at"
        )
        .into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        params![self.incarnation, self.state, LEASE_MS].to_vec()
    }

    fn row(&mut self, _: &Row<'_>) -> Result<()> {
        self.is_known = true;
        Ok(())
    }
}

struct List(Vec<Node>);

impl<'a> Query<'a> for List {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        list_sql(dialect).into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        Vec::new()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.0.push(Node::from_row(row)?);
        Ok(())
    }
}
