//! Accounts that are being connected in a browser: the state to keep until the provider sends it back.

use std::collections::BTreeMap;

use sluice_model::{AccountId, AppId, ConnectionError, ConnectionId, UserId};

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
    text_enum::text_enum,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub id: ConnectionId,
    pub user_id: UserId,
    pub app_id: AppId,
    /// The account to renew, or the one that was made; none before that.
    pub account_id: Option<AccountId>,
    /// The name of a new account.
    pub name: Option<String>,
    /// Fields of the account beside its tokens.
    pub fields: BTreeMap<String, String>,
    /// The PKCE verifier, sealed by the vault.
    pub verifier_sealed: Option<String>,
    pub redirect_to: Option<String>,
    pub stage: Stage,
    /// Why it failed.
    pub error: Option<ConnectionError>,
    pub created_at: i64,
    pub expires_at: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The browser has not come back.
    Pending,
    /// The provider answered, and the code is being exchanged. A second answer is rejected.
    Returned,
    Connected,
    Failed,
}

text_enum!(Stage {
    Pending = "pending",
    Returned = "returned",
    Connected = "connected",
    Failed = "failed",
});

const SELECT: &str = "SELECT id, user_id, app_id, account_id, name, fields, verifier_sealed, \
     redirect_to, stage, error, created_at, expires_at FROM connections";

impl FromRow for Connection {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Connection {
            id: row.get(0)?,
            user_id: row.get(1)?,
            app_id: row.get(2)?,
            account_id: row.get(3)?,
            name: row.get(4)?,
            fields: row.json(5)?,
            verifier_sealed: row.get(6)?,
            redirect_to: row.get(7)?,
            stage: row.get(8)?,
            error: row.json_opt(9)?,
            created_at: row.get(10)?,
            expires_at: row.get(11)?,
        })
    }
}

/// Stores a connection without a state, so that no browser can come back yet. Its id takes the place of the fingerprint,
/// which no fingerprint equals.
pub fn insert(c: &mut dyn Conn, connection: &Connection) -> Result<()> {
    let Connection {
        id,
        user_id,
        app_id,
        account_id,
        name,
        fields,
        verifier_sealed,
        redirect_to,
        stage,
        error,
        created_at,
        expires_at,
    } = connection;
    c.execute(
        "INSERT INTO connections (id, user_id, app_id, account_id, name, fields, verifier_sealed, \
         redirect_to, stage, error, created_at, expires_at, state_fingerprint) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?1)",
        params![
            id,
            user_id,
            app_id,
            account_id.as_ref(),
            name.as_ref(),
            &to_json(fields)?,
            verifier_sealed.as_ref(),
            redirect_to.as_ref(),
            *stage,
            error.as_ref().map(to_json).transpose()?.as_deref(),
            *created_at,
            *expires_at
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &ConnectionId) -> Result<Option<Connection>> {
    let sql = format!("{SELECT} WHERE id = ?1 AND user_id = ?2");
    query_opt(c, &sql, params![id, user])
}

/// Gives a connection of the user the state with which the browser comes back, in place of an earlier one. False when it has
/// ended or expired.
pub fn authorize(
    c: &mut dyn Conn,
    (user, id): (&UserId, &ConnectionId),
    state_fingerprint: &str,
    verifier_sealed: Option<&str>,
    now: i64,
) -> Result<bool> {
    let authorized = c.execute(
        "UPDATE connections SET state_fingerprint = ?3, verifier_sealed = ?4 \
         WHERE id = ?1 AND user_id = ?2 AND stage = 'pending' AND expires_at > ?5",
        params![id, user, state_fingerprint, verifier_sealed, now],
    )?;
    Ok(authorized == 1)
}

/// Takes the connection with this state, of any user, once and before it expires. The state is the permission. A second call
/// finds none.
pub fn take(c: &mut dyn Conn, state_fingerprint: &str, now: i64) -> Result<Option<Connection>> {
    let taken = c.execute(
        "UPDATE connections SET stage = 'returned' \
         WHERE state_fingerprint = ?1 AND stage = 'pending' AND expires_at > ?2",
        params![state_fingerprint, now],
    )?;
    if taken == 0 {
        return Ok(None);
    }
    let sql = format!("{SELECT} WHERE state_fingerprint = ?1");
    query_opt(c, &sql, params![state_fingerprint])
}

/// How it ended: with an account, or with an error.
pub fn finish(
    c: &mut dyn Conn,
    id: &ConnectionId,
    outcome: std::result::Result<&AccountId, &ConnectionError>,
) -> Result<()> {
    match outcome {
        Ok(account) => c.execute(
            "UPDATE connections SET stage = 'connected', account_id = ?2 WHERE id = ?1",
            params![id, account],
        )?,
        Err(error) => c.execute(
            "UPDATE connections SET stage = 'failed', error = ?2 WHERE id = ?1",
            params![id, &to_json(error)?],
        )?,
    };
    Ok(())
}

/// Removes connections of all users that began before `created_before`.
pub fn remove_older_than(c: &mut dyn Conn, created_before: i64) -> Result<u64> {
    c.execute(
        "DELETE FROM connections WHERE created_at < ?1",
        params![created_before],
    )
}
