//! A server with sends in its outbox, stored there while it was down, as a run leaves them when it ends.

use std::{fmt, path::PathBuf};

use rusqlite::{Connection, OpenFlags, params};
use serde_json::{Value, json};
use sluice_testkit::{Plan, Server, ServerOptions, now_ms, wait_for};

use crate::support::PATIENCE;

pub(super) const WORKFLOW: &str = "p_sender1";
const RUN: &str = "000000000000000000000000run";

pub(super) struct PostOffice {
    pub(super) server: Server,
    rows: Vec<SendRow>,
    sends: u32,
}

/// The id of a send. Ids are 27 letters and digits, in the order of sending.
#[derive(Debug, Clone, Copy)]
pub(super) struct SendId(u32);

impl fmt::Display for SendId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:027}", self.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum SendKind {
    Http,
    Email,
    S3,
}

impl SendKind {
    fn as_str(self) -> &'static str {
        match self {
            SendKind::Http => "http",
            SendKind::Email => "email",
            SendKind::S3 => "s3",
        }
    }
}

/// A send that waits for its first attempt.
struct SendRow {
    id: SendId,
    user: String,
    kind: SendKind,
    due_at: i64,
    created_at: i64,
    payload: String,
}

impl SendRow {
    fn insert(&self, database: &Connection) -> rusqlite::Result<usize> {
        let sql = "INSERT INTO sends (id, workflow_id, user_id, run_id, step, kind, state, due_at, tries, \
             created_at, updated_at, payload) \
             VALUES (?1, ?2, ?3, ?4, 'send', ?5, 'pending', ?6, 0, ?7, ?7, ?8)";
        let SendRow {
            id,
            user,
            kind,
            due_at,
            created_at,
            payload,
        } = self;
        let (id, kind) = (id.to_string(), kind.as_str());
        database.execute(
            sql,
            params![id, WORKFLOW, user, RUN, kind, due_at, created_at, payload],
        )
    }
}

/// What is known of a send.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) state: String,
    pub(super) tries: u32,
    pub(super) result: String,
}

impl PostOffice {
    pub(super) async fn new(options: ServerOptions) -> PostOffice {
        PostOffice {
            server: Server::start(options).await,
            rows: Vec::new(),
            sends: 0,
        }
    }

    /// Creates a user, who has mail at `<name>@example.com`. Returns the id.
    pub(super) async fn user(&self, name: &str) -> String {
        let api = self.server.user(name, Plan::Free).await;
        let me = api.get("/users/me").await.ok();
        me["id"].as_str().expect("an id").to_owned()
    }

    /// Puts a send in that is due now; answers its id.
    pub(super) fn order(&mut self, user: &str, kind: SendKind, payload: &Value) -> SendId {
        self.order_for(user, kind, payload, now_ms())
    }

    pub(super) fn order_for(
        &mut self,
        user: &str,
        kind: SendKind,
        payload: &Value,
        due_at: i64,
    ) -> SendId {
        self.sends += 1;
        let id = SendId(self.sends);
        self.rows.push(SendRow {
            id,
            user: user.to_owned(),
            kind,
            due_at,
            created_at: now_ms(),
            payload: payload.to_string(),
        });
        id
    }

    /// A GET of this address.
    pub(super) fn order_get(&mut self, user: &str, url: &str) -> SendId {
        self.order(
            user,
            SendKind::Http,
            &json!({ "method": "GET", "url": url }),
        )
    }

    /// Stores what was put in while the server is down, and starts it again.
    pub(super) async fn open(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.while_down(|database| {
            rows.iter()
                .try_for_each(|row| row.insert(database).map(drop))
        })
        .await;
    }

    /// Writes to the database in one transaction while the server is down.
    pub(super) async fn while_down(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) {
        self.server.kill9();
        let mut database = Connection::open(self.database()).expect("the database");
        let transaction = database.transaction().expect("the server is down");
        write(&transaction).expect("rows that can be stored");
        transaction.commit().expect("the rows are stored");
        database.close().expect("it closes");
        self.server.restart().await;
    }

    fn database(&self) -> PathBuf {
        self.server.data_dir().join("sluice.db")
    }

    pub(super) fn look_at(&self, id: SendId) -> Known {
        let database = Connection::open_with_flags(
            self.database(),
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .expect("the database");
        let sql = "SELECT state, tries, COALESCE(result, '') FROM sends WHERE id = ?1";
        let known = database.query_row(sql, [id.to_string()], |row| {
            Ok(Known {
                state: row.get(0)?,
                tries: row.get(1)?,
                result: row.get(2)?,
            })
        });
        known.expect("the send")
    }

    /// Waits until a send is over.
    pub(super) async fn settled(&self, id: SendId) -> Known {
        wait_for(PATIENCE, "a send to be over", async || {
            let known = self.look_at(id);
            (known.state != "pending").then_some(known)
        })
        .await
    }

    /// Waits until a send failed; says why and how often it was tried.
    pub(super) async fn failed(&self, id: SendId) -> (String, u32) {
        let known = self.settled(id).await;
        assert_eq!(known.state, "failed", "{known:?}");
        (known.result, known.tries)
    }

    /// Waits until a send is sent; gives the result and how often it was tried.
    pub(super) async fn sent(&self, id: SendId) -> (String, u32) {
        let known = self.settled(id).await;
        assert_eq!(known.state, "sent", "{known:?}");
        (known.result, known.tries)
    }
}
