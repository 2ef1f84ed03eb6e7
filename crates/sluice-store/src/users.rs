//! People with an API key.

use sluice_model::UserId;

use crate::{
    conn::{Conn, Dialect, query_all, query_one, query_opt},
    error::{Result, StoreError},
    notification_settings,
    page::Page,
    params, queue_claims,
    row::{FromRow, Row},
    search::contains,
    sends::notifications,
    subject_health,
    text_enum::text_enum,
    value::Value,
};

/// The plan of a user, which sets quotas.
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

/// Which users to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFilter {
    username: Option<String>,
    text: Option<String>,
}

impl UserFilter {
    /// The one with this name, and those in whose name or email address the text is, letters of ASCII in either case.
    pub fn new(username: Option<String>, text: Option<&str>) -> UserFilter {
        UserFilter {
            username,
            text: text.map(str::to_ascii_lowercase),
        }
    }

    /// Its first parameter is `?1`; others follow those that are there.
    fn condition<'a>(&'a self, dialect: Dialect, params: &mut Vec<Value<'a>>) -> String {
        let in_text = self.text.as_ref().map(|text| {
            params.push(text.into());
            let needle = format!("?{}", params.len());
            let in_name = contains(dialect, "username", &needle);
            let in_email = contains(dialect, "email", &needle);
            format!(" AND ({in_name} OR {in_email})")
        });
        format!("(?1 = '' OR username = ?1){}", in_text.unwrap_or_default())
    }

    fn name(&self) -> Value<'_> {
        Value::from(self.username.as_deref().unwrap_or_default())
    }
}

/// The users that the filter admits, newest first.
pub fn page(c: &mut dyn Conn, filter: &UserFilter, page: &Page) -> Result<Vec<User>> {
    let mut params = page.params(filter.name()).to_vec();
    let sql = format!(
        "{SELECT} WHERE {} AND {} LIMIT ?6",
        filter.condition(c.dialect(), &mut params),
        page.condition()
    );
    let mut users: Vec<User> = query_all(c, &sql, &params)?;
    users.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(users)
}

/// How many users [`page`] has in all.
pub fn count_in(c: &mut dyn Conn, filter: &UserFilter) -> Result<u64> {
    let mut params = vec![filter.name()];
    let sql = format!(
        "SELECT COUNT(*) FROM users WHERE {}",
        filter.condition(c.dialect(), &mut params)
    );
    query_one(c, &sql, &params)
}

/// Replaces the API key of a user, and ends the sessions that began with the old one. Returns whether the user exists.
/// Conflicts on the key.
pub fn set_key(c: &mut dyn Conn, user: &UserId, fingerprint: &str, sealed: &str) -> Result<bool> {
    let updated = c.execute(
        "UPDATE users SET key_fingerprint = ?2, key_sealed = ?3 WHERE id = ?1",
        params![user, fingerprint, sealed],
    )?;
    c.execute("DELETE FROM sessions WHERE user_id = ?1", params![user])?;
    Ok(updated == 1)
}

/// Fails unless the user exists, and locks it until the transaction ends. A source or workflow that is created for a removed
/// user could not be seen or stopped any more.
pub fn hold(c: &mut dyn Conn, user: &UserId) -> Result<()> {
    // The lock that both databases have.
    match c.execute("UPDATE users SET id = id WHERE id = ?1", params![user])? {
        0 => Err(StoreError::Invalid("its user is gone".to_owned())),
        _ => Ok(()),
    }
}

/// How many sources and workflows a user has, in any phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmitterCounts {
    pub sources: u64,
    pub workflows: u64,
}

impl FromRow for EmitterCounts {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(EmitterCounts {
            sources: row.get(0)?,
            workflows: row.get(1)?,
        })
    }
}

pub fn running(c: &mut dyn Conn, user: &UserId) -> Result<EmitterCounts> {
    query_one(
        c,
        "SELECT (SELECT COUNT(*) FROM sources WHERE user_id = ?1), \
         (SELECT COUNT(*) FROM workflows WHERE user_id = ?1)",
        params![user],
    )
}

/// Removes a user without sources, workflows and webhooks, with all its rows. Returns whether the user existed.
pub fn remove(c: &mut dyn Conn, user: &UserId) -> Result<bool> {
    let removed = c.execute("DELETE FROM users WHERE id = ?1", params![user])?;
    for belongings in [
        "DELETE FROM registry WHERE shelf = ?1",
        "DELETE FROM component_files WHERE component_id IN \
         (SELECT id FROM components WHERE user_id = ?1)",
        "DELETE FROM components WHERE user_id = ?1",
        "DELETE FROM accounts WHERE user_id = ?1",
        "DELETE FROM connections WHERE user_id = ?1",
        "DELETE FROM dynamic_props WHERE user_id = ?1",
        "DELETE FROM data_stores WHERE user_id = ?1",
        "DELETE FROM data_store_entries WHERE user_id = ?1",
        "DELETE FROM subscriptions WHERE user_id = ?1",
        "DELETE FROM sessions WHERE user_id = ?1",
        "DELETE FROM count_ledger WHERE user_id = ?1",
        "DELETE FROM user_activity WHERE user_id = ?1",
        "DELETE FROM usage WHERE user_id = ?1",
    ] {
        c.execute(belongings, params![user])?;
    }
    // In the order in which the job that notifies users locks them.
    notification_settings::remove(c, user)?;
    subject_health::remove_of_user(c, user)?;
    notifications::remove_of_user(c, user)?;
    queue_claims::remove_of_user(c, user)?;
    Ok(removed == 1)
}
