//! People who are signed in to the console. A session's token is known by its fingerprint only.

use sluice_model::{SessionId, UserId};

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
pub struct Session {
    pub id: SessionId,
    pub user_id: UserId,
    /// The browser at the sign-in, as it described itself.
    pub user_agent: String,
    /// The address at the sign-in.
    pub address: String,
    pub created_at: i64,
    /// The last use that [`touch`] recorded.
    pub used_at: i64,
    pub expires_at: i64,
}

const SELECT: &str =
    "SELECT id, user_id, user_agent, address, created_at, used_at, expires_at FROM sessions";

impl FromRow for Session {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Session {
            id: row.get(0)?,
            user_id: row.get(1)?,
            user_agent: row.get(2)?,
            address: row.get(3)?,
            created_at: row.get(4)?,
            used_at: row.get(5)?,
            expires_at: row.get(6)?,
        })
    }
}

/// A session that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub id: SessionId,
    pub token_fingerprint: String,
    pub user_agent: String,
    pub address: String,
    pub created_at: i64,
    pub expires_at: i64,
}

/// Begins a session of the user whose API key has this fingerprint. Returns the user.
///
/// A concurrent change of the key or removal of the user either finishes first or ends this session with the others.
pub fn begin(
    c: &mut dyn Conn,
    key_fingerprint: &str,
    session: &NewSession,
) -> Result<Option<User>> {
    // The lock that both databases have.
    c.execute(
        "UPDATE users SET id = id WHERE key_fingerprint = ?1",
        params![key_fingerprint],
    )?;
    let Some(user) = users::by_fingerprint(c, key_fingerprint)? else {
        return Ok(None);
    };
    insert(c, &user.id, session)?;
    Ok(Some(user))
}

/// Begins a session of a user who signed in by other means than the API key. `None` if the user was removed meanwhile.
pub fn begin_of(c: &mut dyn Conn, user: &UserId, session: &NewSession) -> Result<Option<User>> {
    // The lock that both databases have.
    c.execute("UPDATE users SET id = id WHERE id = ?1", params![user])?;
    let Some(user) = users::get(c, user)? else {
        return Ok(None);
    };
    insert(c, &user.id, session)?;
    Ok(Some(user))
}

fn insert(c: &mut dyn Conn, user: &UserId, session: &NewSession) -> Result<()> {
    let NewSession {
        id,
        token_fingerprint,
        user_agent,
        address,
        created_at,
        expires_at,
    } = session;
    c.execute(
        "INSERT INTO sessions (token_fingerprint, id, user_id, user_agent, address, created_at, \
         used_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)",
        params![
            token_fingerprint,
            id,
            user,
            user_agent,
            address,
            *created_at,
            *expires_at
        ],
    )?;
    Ok(())
}

/// The session with this token, of any user, while it is valid. The token is the permission.
pub fn by_fingerprint(
    c: &mut dyn Conn,
    token_fingerprint: &str,
    now: i64,
) -> Result<Option<Session>> {
    let sql = format!("{SELECT} WHERE token_fingerprint = ?1 AND expires_at > ?2");
    query_opt(c, &sql, params![token_fingerprint, now])
}

/// The valid sessions of a user, newest first.
pub fn page(c: &mut dyn Conn, user: &UserId, now: i64, page: &Page) -> Result<Vec<Session>> {
    let sql = format!(
        "{SELECT} WHERE user_id = ?1 AND expires_at > ?7 AND {} LIMIT ?6",
        page.condition()
    );
    let mut params = page.params(Value::from(user)).to_vec();
    params.push(now.into());
    let mut sessions: Vec<Session> = query_all(c, &sql, &params)?;
    sessions.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(sessions)
}

/// How many sessions [`page`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId, now: i64) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM sessions WHERE user_id = ?1 AND expires_at > ?2",
        params![user, now],
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

/// Ends the session with this token.
pub fn end(c: &mut dyn Conn, token_fingerprint: &str) -> Result<()> {
    c.execute(
        "DELETE FROM sessions WHERE token_fingerprint = ?1",
        params![token_fingerprint],
    )?;
    Ok(())
}

/// Ends one session of a user. Returns whether it existed.
pub fn end_of_user(c: &mut dyn Conn, user: &UserId, session: &SessionId) -> Result<bool> {
    let ended = c.execute(
        "DELETE FROM sessions WHERE id = ?1 AND user_id = ?2",
        params![session, user],
    )?;
    Ok(ended == 1)
}

/// Ends the sessions of a user, except this one if there is one.
pub fn end_others(c: &mut dyn Conn, user: &UserId, kept: Option<&SessionId>) -> Result<u64> {
    c.execute(
        "DELETE FROM sessions WHERE user_id = ?1 AND id <> ?2",
        params![user, kept.map_or("", SessionId::as_str)],
    )
}

/// Removes expired sessions of all users.
pub fn remove_expired(c: &mut dyn Conn, now: i64) -> Result<u64> {
    c.execute("DELETE FROM sessions WHERE expires_at <= ?1", params![now])
}
