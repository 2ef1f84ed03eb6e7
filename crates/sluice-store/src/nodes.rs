//! The servers of one database: each holds a lease, which it renews every second. All times are those of the database's clock,
//! so the clocks of servers do not matter.

use std::borrow::Cow;

use crate::{
    conn::{Conn, Dialect, Query, query_all, query_one},
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

/// A node that was not alive for this long has no transaction in progress: the database has ended them.
const ALONE_AFTER_MS: i64 = 60_000;

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
    /// Where other nodes reach it, as host and port.
    pub address: Option<String>,
    pub public_url: String,
    pub version: String,
    pub protocol: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub incarnation: String,
    pub name: String,
    pub address: Option<String>,
    pub public_url: String,
    pub state: NodeState,
    pub version: String,
    pub protocol: i64,
    /// Whether it works as if there were no other node.
    pub alone: bool,
    pub started_at: i64,
    /// How much of its lease is left. Not positive when it is not alive.
    pub lease_left_ms: i64,
}

impl Node {
    pub fn is_alive(&self) -> bool {
        self.lease_left_ms > 0
    }

    /// Whether it may not know yet that its lease has run out, as when the clock of the database was set forward.
    pub fn may_be_unaware(&self) -> bool {
        self.state != NodeState::Stopped && self.lease_left_ms > -ALONE_AFTER_MS
    }
}

impl FromRow for Node {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Node {
            incarnation: row.get(0)?,
            name: row.get(1)?,
            address: row.get(2)?,
            public_url: row.get(3)?,
            state: row.get(4)?,
            version: row.get(5)?,
            protocol: row.get(6)?,
            alone: row.get(7)?,
            started_at: row.get(8)?,
            lease_left_ms: row.get(9)?,
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

/// The condition that a claim of the node `?me` may replace the one in the column `owner`: there is none, it is its own, its node has
/// stopped, or, if `?take_over` holds, its node is not alive.
pub(crate) fn is_free(dialect: Dialect, owner: &str, me: &str, take_over: &str) -> String {
    format!(
        "({owner} IS NULL OR {owner} = {me} OR NOT EXISTS (SELECT 1 FROM nodes \
         WHERE incarnation = {owner} AND state <> 'stopped' \
         AND (expires_at > {} OR NOT {take_over})))",
        now(dialect)
    )
}

/// All nodes but those that ended long ago, by their start.
pub fn list(c: &mut dyn Conn) -> Result<Vec<Node>> {
    let sql = list_sql(c.dialect());
    query_all(c, &sql, &[])
}

fn list_sql(dialect: Dialect) -> String {
    let now = now(dialect);
    format!(
        "SELECT incarnation, name, address, public_url, state, version, protocol, alone, started_at, \
         expires_at - {now} FROM nodes WHERE expires_at >= {now} - {KEPT_MS} \
         ORDER BY started_at, incarnation"
    )
}

/// The address of this program, as the database sees it; none for a local socket.
pub fn client_address(c: &mut dyn Conn) -> Result<Option<String>> {
    match c.dialect() {
        Dialect::Sqlite => Ok(None),
        Dialect::Postgres => query_one(c, "SELECT host(inet_client_addr())", &[]),
    }
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

/// Adds a node with a new lease, or renews the lease of one that others called dead, and forgets nodes that ended long ago. The
/// caller has locked joins.
pub fn join(c: &mut dyn Conn, node: &NewNode, alone: bool) -> Result<()> {
    let now = now(c.dialect());
    c.execute_later(
        &format!("DELETE FROM nodes WHERE expires_at < {now} - ?1"),
        params![KEPT_MS],
    )?;
    let NewNode {
        incarnation,
        name,
        address,
        public_url,
        version,
        protocol,
    } = node;
    c.execute_later(
        &format!(
            "INSERT INTO nodes (incarnation, name, address, public_url, state, version, protocol, \
             alone, started_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?6, ?7, {now}, {now} + ?8) \
             ON CONFLICT (incarnation) DO UPDATE SET alone = excluded.alone, \
             expires_at = excluded.expires_at"
        ),
        params![
            incarnation,
            name,
            address.as_deref(),
            public_url,
            version,
            *protocol,
            alone,
            LEASE_MS
        ],
    )
}

/// Ends the lease of a node: others may take over at once.
pub fn leave(c: &mut dyn Conn, incarnation: &str) -> Result<()> {
    let sql = format!(
        "UPDATE nodes SET state = 'stopped', expires_at = {} WHERE incarnation = ?1",
        now(c.dialect())
    );
    c.execute_later(&sql, params![incarnation])
}

/// Says that a node works as the only one, if no other is alive or was so shortly ago. The caller has locked joins.
pub fn become_alone(c: &mut dyn Conn, incarnation: &str) -> Result<bool> {
    let now = now(c.dialect());
    // Waits for a renewal in progress, which would not be seen otherwise.
    let lock = match c.dialect() {
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR UPDATE",
    };
    let sql = format!(
        "SELECT incarnation FROM nodes WHERE incarnation <> ?1 AND state <> 'stopped' \
         AND expires_at > {now} - ?2{lock}"
    );
    let others: Vec<String> = query_all(c, &sql, params![incarnation, ALONE_AFTER_MS])?;
    if !others.is_empty() {
        return Ok(false);
    }
    let updated = c.execute(
        &format!("UPDATE nodes SET alone = ?2 WHERE incarnation = ?1 AND expires_at > {now}"),
        params![incarnation, true],
    )?;
    Ok(updated == 1)
}

/// Ends the sessions of a node that is not alive, so that no transaction of it holds a lock.
pub fn end_sessions(c: &mut dyn Conn, incarnation: &str) -> Result<()> {
    match c.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => c.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND usename = current_user \
             AND strpos(application_name, ?1) > 0",
            params![&format!(" {incarnation} ")],
            &mut |_| Ok(()),
        ),
    }
}

/// The time of the database in milliseconds.
pub fn time(c: &mut dyn Conn) -> Result<i64> {
    let mut time = Time(0);
    c.query_together(&mut [&mut time])?;
    Ok(time.0)
}

/// The answer to the renewal of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewed {
    /// All nodes that are known, by their start.
    pub nodes: Vec<Node>,
    /// The time of the database.
    pub now_ms: i64,
}

/// Renews a lease and reads all nodes. `None` when the lease has run out: the node has to join again.
pub fn renew(
    c: &mut dyn Conn,
    incarnation: &str,
    state: NodeState,
    alone: bool,
) -> Result<Option<Renewed>> {
    let mut renewal = Renewal {
        incarnation,
        state,
        alone,
        is_known: false,
    };
    let (mut list, mut time) = (List(Vec::new()), Time(0));
    c.query_together(&mut [&mut renewal, &mut list, &mut time])?;
    Ok(renewal.is_known.then_some(Renewed {
        nodes: list.0,
        now_ms: time.0,
    }))
}

struct Renewal<'a> {
    incarnation: &'a str,
    state: NodeState,
    alone: bool,
    is_known: bool,
}

impl<'a> Query<'a> for Renewal<'a> {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        let now = now(dialect);
        format!(
            "UPDATE nodes SET state = ?2, expires_at = {now} + ?3, alone = ?4 \
             WHERE incarnation = ?1 AND expires_at > {now} RETURNING expires_at"
        )
        .into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        params![self.incarnation, self.state, LEASE_MS, self.alone].to_vec()
    }

    fn row(&mut self, _: &Row<'_>) -> Result<()> {
        self.is_known = true;
        Ok(())
    }
}

struct Time(i64);

impl<'a> Query<'a> for Time {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        format!("SELECT {}", now(dialect)).into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        Vec::new()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.0 = row.get(0)?;
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
