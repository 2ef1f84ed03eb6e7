//! Named API keys: keys of a user beside the main one, with scopes and an optional expiry. A key is known by its fingerprint
//! only.

use sluice_model::{ApiKeyId, Scopes, UserId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    page::Page,
    params,
    row::{FromRow, Row},
    users::{self, User},
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedKey {
    pub id: ApiKeyId,
    pub user_id: UserId,
    pub name: String,
    pub scopes: Scopes,
    /// The last characters of the key.
    pub last_characters: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    /// The last use that [`touch`] recorded.
    pub last_used_at: Option<i64>,
    /// None unless an application got it by OAuth.
    pub access: Option<AgentAccess>,
}

/// The access of an application that signed in by OAuth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentAccess {
    /// A digest of the application's id.
    pub application: String,
    /// When its token ends, if it renews its tokens.
    pub token_expires_at: Option<i64>,
    pub renewals: i64,
    pub renewed_at: Option<i64>,
}

const SELECT: &str = "SELECT id, user_id, name, scopes, last_characters, created_at, expires_at, \
     last_used_at, application, token_expires_at, renewals, renewed_at FROM api_keys";

impl FromRow for NamedKey {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(NamedKey {
            id: row.get(0)?,
            user_id: row.get(1)?,
            name: row.get(2)?,
            scopes: row.get(3)?,
            last_characters: row.get(4)?,
            created_at: row.get(5)?,
            expires_at: row.get(6)?,
            last_used_at: row.get(7)?,
            access: access(row)?,
        })
    }
}

fn access(row: &Row<'_>) -> Result<Option<AgentAccess>> {
    let Some(application) = row.get(8)? else {
        return Ok(None);
    };
    Ok(Some(AgentAccess {
        application,
        token_expires_at: row.get(9)?,
        renewals: row.get(10)?,
        renewed_at: row.get(11)?,
    }))
}

/// The user of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOwner {
    pub user: User,
    /// None for the main key.
    pub named: Option<NamedKey>,
}

impl NamedKey {
    pub fn is_expired(&self, now: i64) -> bool {
        let access = self.access.as_ref();
        let token = access.and_then(|access| access.token_expires_at);
        [self.expires_at, token]
            .into_iter()
            .flatten()
            .any(|at| at <= now)
    }
}

/// The user whose main or named key has this fingerprint. Expired keys are found, too.
pub fn owner(c: &mut dyn Conn, fingerprint: &str) -> Result<Option<KeyOwner>> {
    if let Some(user) = users::by_fingerprint(c, fingerprint)? {
        return Ok(Some(KeyOwner { user, named: None }));
    }
    let sql = format!("{SELECT} WHERE key_fingerprint = ?1");
    let Some(named) = query_opt::<NamedKey>(c, &sql, params![fingerprint])? else {
        return Ok(None);
    };
    let user = users::get(c, &named.user_id)?;
    Ok(user.map(|user| KeyOwner {
        user,
        named: Some(named),
    }))
}

/// Conflicts on the key.
pub fn insert(c: &mut dyn Conn, key: &NamedKey, fingerprint: &str) -> Result<()> {
    let NamedKey {
        id,
        user_id,
        name,
        scopes,
        last_characters,
        created_at,
        expires_at,
        last_used_at,
        access,
    } = key;
    let access = access.as_ref();
    c.execute(
        "INSERT INTO api_keys (id, user_id, name, scopes, key_fingerprint, last_characters, \
         created_at, expires_at, last_used_at, application, token_expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            id,
            user_id,
            name,
            &scopes.to_text(),
            fingerprint,
            last_characters,
            *created_at,
            *expires_at,
            *last_used_at,
            access.map(|access| access.application.as_str()),
            access.and_then(|access| access.token_expires_at)
        ],
    )?;
    Ok(())
}

/// A key of any user: for a caller that has proved that the key is its own.
pub fn get(c: &mut dyn Conn, key: &ApiKeyId) -> Result<Option<NamedKey>> {
    query_opt(c, &format!("{SELECT} WHERE id = ?1"), params![key])
}

/// The key for a change of its token: renewals of one key wait for each other.
pub fn hold(c: &mut dyn Conn, key: &ApiKeyId) -> Result<Option<NamedKey>> {
    // The lock that both databases have.
    c.execute("UPDATE api_keys SET id = id WHERE id = ?1", params![key])?;
    get(c, key)
}

/// Replaces the token of an application, and writes the other fields of its access.
pub fn renew(c: &mut dyn Conn, key: &NamedKey, fingerprint: &str) -> Result<()> {
    let Some(access) = &key.access else {
        return Ok(());
    };
    c.execute(
        "UPDATE api_keys SET key_fingerprint = ?2, last_characters = ?3, token_expires_at = ?4, \
         renewals = ?5, renewed_at = ?6 WHERE id = ?1",
        params![
            &key.id,
            fingerprint,
            &key.last_characters,
            access.token_expires_at,
            access.renewals,
            access.renewed_at
        ],
    )?;
    Ok(())
}

/// The named keys of a user, newest first, also expired ones.
pub fn page(c: &mut dyn Conn, user: &UserId, page: &Page) -> Result<Vec<NamedKey>> {
    let sql = format!(
        "{SELECT} WHERE user_id = ?1 AND {} LIMIT ?6",
        page.condition()
    );
    let mut keys: Vec<NamedKey> = query_all(c, &sql, &page.params(Value::from(user)))?;
    keys.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(keys)
}

/// How many keys [`page`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM api_keys WHERE user_id = ?1",
        params![user],
    )
}

/// Records the use of a key, unless a use was recorded since `used_before`.
pub fn touch(c: &mut dyn Conn, key: &ApiKeyId, used_before: i64, now: i64) -> Result<()> {
    c.execute(
        "UPDATE api_keys SET last_used_at = ?3 \
         WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?2)",
        params![key, used_before, now],
    )?;
    Ok(())
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, user: &UserId, key: &ApiKeyId) -> Result<bool> {
    let removed = c.execute(
        "DELETE FROM api_keys WHERE id = ?1 AND user_id = ?2",
        params![key, user],
    )?;
    Ok(removed == 1)
}
