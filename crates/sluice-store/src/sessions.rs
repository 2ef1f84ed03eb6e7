//! People who are signed in to the console. A session's token is known by its fingerprint only.

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    users::{self, User},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub user_id: UserId,
    pub created_at: i64,
    /// The last use that [`touch`] recorded.
    pub used_at: i64,
    pub expires_at: i64,
}

impl FromRow for Session {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Session {
            user_id: row.get(0)?,
            created_at: row.get(1)?,
            used_at: row.get(2)?,
            expires_at: row.get(3)?,
        })
    }
}

/// Begins a session of the user whose API key has this fingerprint. Returns the user.
///
/// A concurrent change of the key or removal of the user either finishes first or ends this session with the others.
pub fn begin(
    c: &mut dyn Conn,
    key_fingerprint: &str,
    token_fingerprint: &str,
    now: i64,
    expires_at: i64,
) -> Result<Option<User>> {
    // The lock that both databases have.
    c.execute(
        "UPDATE users SET id = id WHERE key_fingerprint = ?1",
        params![key_fingerprint],
    )?;
    let Some(user) = users::by_fingerprint(c, key_fingerprint)? else {
        return Ok(None);
    };
    c.execute(
        "INSERT INTO sessions (token_fingerprint, user_id, created_at, used_at, expires_at) \
         VALUES (?1, ?2, ?3, ?3, ?4)",
        params![token_fingerprint, &user.id, now, expires_at],
    )?;
    Ok(Some(user))
}

/// Begins a session of a user who signed in by other means than the API key. `None` if the user was removed meanwhile.
pub fn begin_of(
    c: &mut dyn Conn,
    user: &UserId,
    token_fingerprint: &str,
    now: i64,
    expires_at: i64,
) -> Result<Option<User>> {
    // The lock that both databases have.
    c.execute("UPDATE users SET id = id WHERE id = ?1", params![user])?;
    let Some(user) = users::get(c, user)? else {
        return Ok(None);
    };
    c.execute(
        "INSERT INTO sessions (token_fingerprint, user_id, created_at, used_at, expires_at) \
         VALUES (?1, ?2, ?3, ?3, ?4)",
        params![token_fingerprint, &user.id, now, expires_at],
    )?;
    Ok(Some(user))
}

/// The session with this token, of any user, while it is valid. The token is the permission.
pub fn by_fingerprint(
    c: &mut dyn Conn,
    token_fingerprint: &str,
    now: i64,
) -> Result<Option<Session>> {
    query_opt(
        c,
        "SELECT user_id, created_at, used_at, expires_at FROM sessions \
         WHERE token_fingerprint = ?1 AND expires_at > ?2",
        params![token_fingerprint, now],
    )
}

/// Records the use of a session, which extends it, unless a use was recorded since `used_before`.
pub fn touch(
    c: &mut dyn Conn,
    token_fingerprint: &str,
    used_before: i64,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    c.execute(
        "UPDATE sessions SET used_at = ?3, expires_at = ?4 \
         WHERE token_fingerprint = ?1 AND used_at <= ?2",
        params![token_fingerprint, used_before, now, expires_at],
    )?;
    Ok(())
}

/// Ends one session.
pub fn end(c: &mut dyn Conn, token_fingerprint: &str) -> Result<()> {
    c.execute(
        "DELETE FROM sessions WHERE token_fingerprint = ?1",
        params![token_fingerprint],
    )?;
    Ok(())
}

/// Removes expired sessions of all users.
pub fn remove_expired(c: &mut dyn Conn, now: i64) -> Result<u64> {
    c.execute("DELETE FROM sessions WHERE expires_at <= ?1", params![now])
}
