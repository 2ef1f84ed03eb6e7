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
    workflows,
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

/// New values of a user; none leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    pub username: Option<String>,
    pub email: Option<String>,
    pub plan: Option<Plan>,
    pub operator: Option<bool>,
}

/// Returns the changed user, if it exists. Conflicts on the username.
pub fn update(c: &mut dyn Conn, user: &UserId, change: &UserChange) -> Result<Option<User>> {
    let UserChange {
        username,
        email,
        plan,
        operator,
    } = change;
    c.execute(
        "UPDATE users SET username = COALESCE(?2, username), email = COALESCE(?3, email), \
         plan = COALESCE(?4, plan), operator = COALESCE(?5, operator) WHERE id = ?1",
        params![user, username.as_ref(), email.as_ref(), *plan, *operator],
    )?;
    get(c, user)
}

/// Notes whether the user gave the address, or an operator did.
pub fn set_email_claimed(c: &mut dyn Conn, user: &UserId, claimed: bool) -> Result<()> {
    c.execute(
        "UPDATE users SET email_claimed = ?2 WHERE id = ?1",
        params![user, claimed],
    )?;
    Ok(())
}

/// The operators with this address.
pub fn operators_with_email(c: &mut dyn Conn, email: &str) -> Result<Vec<User>> {
    let sql = format!("{SELECT} WHERE operator AND email = ?1 ORDER BY created_at, id");
    query_all(c, &sql, params![email])
}

/// Whether a user has this address.
pub fn has_email(c: &mut dyn Conn, email: &str) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM users WHERE email = ?1)",
        params![email],
    )
}

/// How many operators there are.
pub fn operators(c: &mut dyn Conn) -> Result<u64> {
    query_one(c, "SELECT COUNT(*) FROM users WHERE operator", &[])
}

/// Locks all operators until the transaction ends, and returns how many there are. To be called before any user is locked
/// another way, so that concurrent transactions cannot wait for each other.
pub fn lock_operators(c: &mut dyn Conn) -> Result<u64> {
    // The lock that both databases have.
    c.execute("UPDATE users SET id = id WHERE operator", &[])
}

/// The user with this id or name.
pub fn named(c: &mut dyn Conn, name: &str) -> Result<Option<User>> {
    let sql = format!("{SELECT} WHERE username = ?1");
    let found = query_opt(c, &sql, params![name])?;
    match UserId::parse(name) {
        Some(id) if found.is_none() => get(c, &id),
        _ => Ok(found),
    }
}

/// The operator who was created first.
pub fn first_operator(c: &mut dyn Conn) -> Result<Option<User>> {
    let sql = format!("{SELECT} WHERE operator ORDER BY created_at, id LIMIT 1");
    query_opt(c, &sql, &[])
}

/// The fingerprint of a user's API key.
pub fn key_fingerprint(c: &mut dyn Conn, user: &UserId) -> Result<Option<String>> {
    query_opt(
        c,
        "SELECT key_fingerprint FROM users WHERE id = ?1",
        params![user],
    )
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

/// How many sources and workflows a user has, in any phase. The workflow of action runs is removed with the user.
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
         (SELECT COUNT(*) FROM workflows WHERE user_id = ?1 AND NOT internal)",
        params![user],
    )
}

/// Removes a user without sources, workflows and webhooks, with all its rows. Returns whether the user existed.
pub fn remove(c: &mut dyn Conn, user: &UserId) -> Result<bool> {
    let removed = c.execute("DELETE FROM users WHERE id = ?1", params![user])?;
    if let Some(actions) = workflows::of_actions(c, user)? {
        workflows::remove(c, user, &actions.id)?;
    }
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
        "DELETE FROM tools WHERE user_id = ?1",
        "DELETE FROM saved_filters WHERE user_id = ?1",
        "DELETE FROM api_keys WHERE user_id = ?1",
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
