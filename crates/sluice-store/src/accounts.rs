//! Users' accounts with apps: sealed credentials, and whether they still work.
//!
//! The version counts every change of credentials and health. A renewal starts from a version that it has
//! read and writes only on top of that one, so of two concurrent renewals, on any node, one wins and the other reads again.

use sluice_model::{AccountId, AppId, UserId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    page::Page,
    params,
    row::{FromRow, Row},
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub user_id: UserId,
    pub app_id: AppId,
    pub name: String,
    /// Sealed by the vault.
    pub credentials_sealed: String,
    pub expires_at: Option<i64>,
    pub health: Health,
    pub version: i64,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    Healthy,
    /// The credentials are of no use any more, for this reason.
    Dead(String),
}

/// New credentials for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    pub credentials_sealed: String,
    pub expires_at: Option<i64>,
    pub at: i64,
}

const SELECT: &str = "SELECT id, user_id, app_id, name, credentials_sealed, expires_at, \
     dead_reason, version, created_at, updated_at FROM accounts";

impl FromRow for Account {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let dead_reason: Option<String> = row.get(6)?;
        Ok(Account {
            id: row.get(0)?,
            user_id: row.get(1)?,
            app_id: row.get(2)?,
            name: row.get(3)?,
            credentials_sealed: row.get(4)?,
            expires_at: row.get(5)?,
            health: dead_reason.map_or(Health::Healthy, Health::Dead),
            version: row.get(7)?,
            created_at: row.get(8)?,
            updated_at: row.get(9)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, account: &Account) -> Result<()> {
    let Account {
        id,
        user_id,
        app_id,
        name,
        credentials_sealed,
        expires_at,
        health,
        version,
        created_at,
        updated_at,
    } = account;
    let dead_reason = match health {
        Health::Healthy => None,
        Health::Dead(reason) => Some(reason),
    };
    c.execute(
        "INSERT INTO accounts (id, user_id, app_id, name, credentials_sealed, expires_at, \
         dead_reason, version, created_at, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            user_id,
            app_id,
            name,
            credentials_sealed,
            *expires_at,
            dead_reason,
            *version,
            *created_at,
            *updated_at
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &AccountId) -> Result<Option<Account>> {
    let sql = format!("{SELECT} WHERE id = ?1 AND user_id = ?2");
    query_opt(c, &sql, params![id, user])
}

/// The user's accounts, of one app or of all, newest first.
pub fn list(
    c: &mut dyn Conn,
    user: &UserId,
    app: Option<&AppId>,
    page: &Page,
) -> Result<Vec<Account>> {
    let sql = format!(
        "{SELECT} WHERE user_id = ?1 AND (?7 = '' OR app_id = ?7) AND {} LIMIT ?6",
        page.condition()
    );
    let mut params = page.params(Value::from(user)).to_vec();
    params.push(Value::from(app_or_any(app)));
    let mut accounts: Vec<Account> = query_all(c, &sql, &params)?;
    accounts.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(accounts)
}

/// How many accounts [`list`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId, app: Option<&AppId>) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM accounts WHERE user_id = ?1 AND (?2 = '' OR app_id = ?2)",
        params![user, app_or_any(app)],
    )
}

fn app_or_any(app: Option<&AppId>) -> &str {
    app.map_or("", AppId::as_str)
}

/// Whether anybody has an account with the app.
pub fn exist_for(c: &mut dyn Conn, app: &AppId) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM accounts WHERE app_id = ?1)",
        params![app],
    )
}

/// Returns whether it existed.
pub fn rename(
    c: &mut dyn Conn,
    user: &UserId,
    id: &AccountId,
    name: &str,
    at: i64,
) -> Result<bool> {
    let updated = c.execute(
        "UPDATE accounts SET name = ?3, updated_at = ?4 WHERE id = ?1 AND user_id = ?2",
        params![id, user, name, at],
    )?;
    Ok(updated == 1)
}

/// Replaces the credentials with new ones of the user, which makes the account healthy. Returns whether it existed.
pub fn replace(c: &mut dyn Conn, user: &UserId, id: &AccountId, renewal: &Renewal) -> Result<bool> {
    let updated = c.execute(
        "UPDATE accounts SET credentials_sealed = ?3, expires_at = ?4, updated_at = ?5, \
         dead_reason = NULL, renewing_until = NULL, version = version + 1 \
         WHERE id = ?1 AND user_id = ?2",
        params![
            id,
            user,
            &renewal.credentials_sealed,
            renewal.expires_at,
            renewal.at
        ],
    )?;
    Ok(updated == 1)
}

/// Takes the lease to renew the credentials of `version` until `until`. False when it is taken, or the credentials changed.
pub fn claim_renewal(
    c: &mut dyn Conn,
    id: &AccountId,
    version: i64,
    now: i64,
    until: i64,
) -> Result<bool> {
    let claimed = c.execute(
        "UPDATE accounts SET renewing_until = ?4 WHERE id = ?1 AND version = ?2 \
         AND (renewing_until IS NULL OR renewing_until <= ?3)",
        params![id, version, now, until],
    )?;
    Ok(claimed == 1)
}

/// Sets the backoff after a renewal that failed.
pub fn postpone_renewal(c: &mut dyn Conn, id: &AccountId, version: i64, until: i64) -> Result<()> {
    c.execute(
        "UPDATE accounts SET renewing_until = ?3 WHERE id = ?1 AND version = ?2",
        params![id, version, until],
    )?;
    Ok(())
}

/// After the clock was set back: no lease and no backoff of a renewal ends later than `longest` after `now`. Returns how many
/// did.
pub fn clamp(c: &mut dyn Conn, now: i64, longest: i64) -> Result<u64> {
    c.execute(
        "UPDATE accounts SET renewing_until = ?1 WHERE renewing_until > ?1",
        params![now.saturating_add(longest)],
    )
}

/// Writes renewed credentials on top of `version`; false when they have changed meanwhile.
pub fn renew(c: &mut dyn Conn, id: &AccountId, version: i64, renewal: &Renewal) -> Result<bool> {
    let updated = c.execute(
        "UPDATE accounts SET credentials_sealed = ?3, expires_at = ?4, updated_at = ?5, \
         renewing_until = NULL, version = version + 1 WHERE id = ?1 AND version = ?2",
        params![
            id,
            version,
            &renewal.credentials_sealed,
            renewal.expires_at,
            renewal.at
        ],
    )?;
    Ok(updated == 1)
}

/// Marks the credentials of `version` as useless; false when they have changed meanwhile.
pub fn mark_dead(
    c: &mut dyn Conn,
    id: &AccountId,
    version: i64,
    reason: &str,
    at: i64,
) -> Result<bool> {
    let updated = c.execute(
        "UPDATE accounts SET dead_reason = ?3, updated_at = ?4, renewing_until = NULL, \
         version = version + 1 WHERE id = ?1 AND version = ?2",
        params![id, version, reason, at],
    )?;
    Ok(updated == 1)
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, user: &UserId, id: &AccountId) -> Result<bool> {
    let removed = c.execute(
        "DELETE FROM accounts WHERE id = ?1 AND user_id = ?2",
        params![id, user],
    )?;
    Ok(removed == 1)
}
