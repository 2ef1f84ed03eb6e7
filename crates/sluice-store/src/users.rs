//! People with an API key.

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    text_enum::text_enum,
};

/// What a user may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Free,
    Paid,
}

text_enum!(Plan {
    Free = "free",
    Paid = "paid",
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: Plan,
    /// Whether this user runs the server, and may publish to its registry.
    pub operator: bool,
    /// The API key, sealed by the vault.
    pub key_sealed: String,
    pub created_at: i64,
}

const SELECT: &str =
    "SELECT id, username, email, plan, operator, key_sealed, created_at FROM users";

impl FromRow for User {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(User {
            id: row.get(0)?,
            username: row.get(1)?,
            email: row.get(2)?,
            plan: row.get(3)?,
            operator: row.get(4)?,
            key_sealed: row.get(5)?,
            created_at: row.get(6)?,
        })
    }
}

/// `key_fingerprint` is how the API key is looked up. Conflicts on id, username and key.
pub fn insert(c: &mut dyn Conn, user: &User, key_fingerprint: &str) -> Result<()> {
    let User {
        id,
        username,
        email,
        plan,
        operator,
        key_sealed,
        created_at,
    } = user;
    c.execute(
        "INSERT INTO users (id, username, email, plan, operator, key_fingerprint, key_sealed, \
         created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            id,
            username,
            email,
            *plan,
            *operator,
            key_fingerprint,
            key_sealed,
            *created_at
        ],
    )?;
    Ok(())
}

pub fn count(c: &mut dyn Conn) -> Result<u64> {
    query_one(c, "SELECT COUNT(*) FROM users", &[])
}

/// The user whose API key has this fingerprint.
pub fn by_fingerprint(c: &mut dyn Conn, key_fingerprint: &str) -> Result<Option<User>> {
    let sql = format!("{SELECT} WHERE key_fingerprint = ?1");
    query_opt(c, &sql, params![key_fingerprint])
}

pub fn get(c: &mut dyn Conn, user: &UserId) -> Result<Option<User>> {
    query_opt(c, &format!("{SELECT} WHERE id = ?1"), params![user])
}

/// All users, oldest first.
pub fn list(c: &mut dyn Conn) -> Result<Vec<User>> {
    query_all(c, &format!("{SELECT} ORDER BY created_at, id"), &[])
}
