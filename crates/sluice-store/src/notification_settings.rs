//! The settings by which users are notified of failures, and the pace of the messages to each user.

use serde::{Deserialize, Serialize};
use sluice_model::UserId;

use crate::{
    conn::{Conn, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
    webhooks::PreviousSecret,
};

/// The default is that of a user who has set nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotificationSettings {
    /// Whether to send mail; none for the default, which depends on the server.
    pub mail: Option<bool>,
    /// None for the address of the account.
    pub mail_to: Option<String>,
    pub webhook: Option<NotificationWebhook>,
    pub rules: Rules,
}

/// The receiver of notifications as requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationWebhook {
    pub url: String,
    /// Sealed.
    pub secret: String,
    /// The secret before the last rotation.
    pub previous: Option<PreviousSecret>,
}

/// The kinds of subjects to report, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    pub sources: bool,
    pub workflows: bool,
    pub webhooks: bool,
    /// So many failures in a row of a source or a workflow are reported.
    pub failures: u64,
    /// A webhook is reported when it has failed for so long.
    pub webhook_seconds: i64,
    /// The same subject is not reported again within this time.
    pub quiet_seconds: i64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            sources: true,
            workflows: true,
            webhooks: true,
            failures: 3,
            webhook_seconds: 60,
            quiet_seconds: 3_600,
        }
    }
}

const COLUMNS: &str = "mail, mail_to, webhook_url, secret, previous_secret, previous_until, rules";

impl FromRow for NotificationSettings {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let (url, secret): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
        let (previous, until): (Option<String>, Option<i64>) = (row.get(4)?, row.get(5)?);
        let previous = previous
            .zip(until)
            .map(|(secret, until)| PreviousSecret { secret, until });
        Ok(NotificationSettings {
            mail: row.get(0)?,
            mail_to: row.get(1)?,
            webhook: url.zip(secret).map(|(url, secret)| NotificationWebhook {
                url,
                secret,
                previous,
            }),
            rules: row.json(6)?,
        })
    }
}

/// The settings of a user, by default those of a user who has set nothing.
pub fn get(c: &mut dyn Conn, user: &UserId) -> Result<NotificationSettings> {
    let sql = format!("SELECT {COLUMNS} FROM notification_settings WHERE user_id = ?1");
    query_opt(c, &sql, params![user]).map(Option::unwrap_or_default)
}

/// As [`get`], and locks them until the transaction ends: one message at a time is written to a user.
pub fn hold(c: &mut dyn Conn, user: &UserId) -> Result<NotificationSettings> {
    let rules = to_json(&Rules::default())?;
    // The lock that both databases have.
    c.execute(
        "INSERT INTO notification_settings (user_id, rules, next_message_at, pause_ms, tests, \
         tests_since) VALUES (?1, ?2, 0, 0, 0, 0) \
         ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id",
        params![user, &rules],
    )?;
    get(c, user)
}

/// Saves settings that are held.
pub fn save(c: &mut dyn Conn, user: &UserId, settings: &NotificationSettings) -> Result<()> {
    let NotificationSettings {
        mail,
        mail_to,
        webhook,
        rules,
    } = settings;
    let webhook = webhook.as_ref();
    let previous = webhook.and_then(|webhook| webhook.previous.as_ref());
    c.execute(
        "UPDATE notification_settings SET mail = ?2, mail_to = ?3, webhook_url = ?4, secret = ?5, \
         previous_secret = ?6, previous_until = ?7, rules = ?8 WHERE user_id = ?1",
        params![
            user,
            *mail,
            mail_to.as_ref(),
            webhook.map(|webhook| &webhook.url),
            webhook.map(|webhook| &webhook.secret),
            previous.map(|previous| &previous.secret),
            previous.map(|previous| previous.until),
            &to_json(rules)?
        ],
    )?;
    Ok(())
}

/// The pace of the messages to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// No message is written before.
    pub next_message_at: i64,
    /// The pause that leads there.
    pub pause_ms: i64,
}

impl FromRow for Pace {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Pace {
            next_message_at: row.get(0)?,
            pause_ms: row.get(1)?,
        })
    }
}

/// The pace of a user whose settings are held.
pub fn pace(c: &mut dyn Conn, user: &UserId) -> Result<Pace> {
    query_one(
        c,
        "SELECT next_message_at, pause_ms FROM notification_settings WHERE user_id = ?1",
        params![user],
    )
}

/// Deferred.
pub fn set_pace(c: &mut dyn Conn, user: &UserId, pace: Pace) -> Result<()> {
    c.execute_later(
        "UPDATE notification_settings SET next_message_at = ?2, pause_ms = ?3 WHERE user_id = ?1",
        params![user, pace.next_message_at, pace.pause_ms],
    )
}

/// The test messages of a user since some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tests {
    pub count: u32,
    pub since: i64,
}

impl FromRow for Tests {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Tests {
            count: row.get(0)?,
            since: row.get(1)?,
        })
    }
}

/// The test messages of a user whose settings are held.
pub fn tests(c: &mut dyn Conn, user: &UserId) -> Result<Tests> {
    query_one(
        c,
        "SELECT tests, tests_since FROM notification_settings WHERE user_id = ?1",
        params![user],
    )
}

/// Deferred.
pub fn set_tests(c: &mut dyn Conn, user: &UserId, tests: Tests) -> Result<()> {
    c.execute_later(
        "UPDATE notification_settings SET tests = ?2, tests_since = ?3 WHERE user_id = ?1",
        params![user, tests.count, tests.since],
    )
}

/// Deferred.
pub(crate) fn remove(c: &mut dyn Conn, user: &UserId) -> Result<()> {
    c.execute_later(
        "DELETE FROM notification_settings WHERE user_id = ?1",
        params![user],
    )
}
