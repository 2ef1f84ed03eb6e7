//! A server with sends in its outbox, put there while it was down: as a run leaves them when it ends.

use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use sluice_model::{Clock, EmitId, IdGen, InvocationId, SystemClock, UserId, WorkflowId};
use sluice_store::{
    Conn, Location, Result, Store, StoreOptions,
    sends::{self, SendKind, SendRow, SendState},
};
use sluice_testkit::{Plan, Server, ServerOptions, wait_for};

use crate::support::PATIENCE;

pub(super) struct PostOffice {
    pub(super) server: Server,
    ids: IdGen,
    rows: Vec<SendRow>,
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
            ids: IdGen::new(rand::random()),
            rows: Vec::new(),
        }
    }

    /// A new user, who has mail at `<name>@example.com`.
    pub(super) async fn user(&self, name: &str) -> UserId {
        let api = self.server.user(name, Plan::Free).await;
        let me = api.get("/users/me").await.ok();
        me["id"].as_str().and_then(UserId::parse).expect("an id")
    }

    /// Puts a send in that is due now; answers its id.
    pub(super) fn order(&mut self, user: &UserId, kind: SendKind, payload: &Value) -> EmitId {
        self.order_for(user, kind, payload, now())
    }

    pub(super) fn order_for(
        &mut self,
        user: &UserId,
        kind: SendKind,
        payload: &Value,
        due_at: i64,
    ) -> EmitId {
        let id = EmitId::generate(&mut self.ids, now());
        self.rows.push(SendRow {
            id,
            workflow_id: workflow(),
            user_id: user.clone(),
            run_id: InvocationId::generate(&mut self.ids, now()),
            step: "send".to_owned(),
            kind,
            state: SendState::Pending,
            due_at: Some(due_at),
            tries: 0,
            result: None,
            created_at: now(),
            updated_at: now(),
            payload: payload.to_string(),
        });
        id
    }

    /// A GET of this address.
    pub(super) fn order_get(&mut self, user: &UserId, url: &str) -> EmitId {
        self.order(
            user,
            SendKind::Http,
            &json!({ "method": "GET", "url": url }),
        )
    }

    /// Stores what was put in while the server is down, and starts it again.
    pub(super) async fn open(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.while_down(move |c| rows.iter().try_for_each(|row| sends::insert(c, row)))
            .await;
    }

    pub(super) async fn while_down(
        &mut self,
        work: impl FnOnce(&mut dyn Conn) -> Result<()> + Send + 'static,
    ) {
        self.server.kill9();
        let store = Store::open(StoreOptions::new(Location::Sqlite(self.database())))
            .expect("the server is down");
        store.write(work).await.expect("rows that can be stored");
        tokio::task::spawn_blocking(move || store.close())
            .await
            .expect("it closes");
        self.server.restart().await;
    }

    fn database(&self) -> PathBuf {
        self.server.data_dir().join("sluice.db")
    }

    pub(super) fn look_at(&self, id: EmitId) -> Known {
        let database = Connection::open_with_flags(
            self.database(),
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .expect("the database");
        let sql = "SELECT state, tries, COALESCE(result, '') FROM sends WHERE id = ?1";
        let known = database.query_row(sql, [id.as_str()], |row| {
            Ok(Known {
                state: row.get(0)?,
                tries: row.get(1)?,
                result: row.get(2)?,
            })
        });
        known.expect("the send")
    }

    /// Waits until a send is over.
    pub(super) async fn settled(&self, id: EmitId) -> Known {
        wait_for(PATIENCE, "a send to be over", async || {
            let known = self.look_at(id);
            (known.state != "pending").then_some(known)
        })
        .await
    }

    /// Waits until a send failed; says why and how often it was tried.
    pub(super) async fn failed(&self, id: EmitId) -> (String, u32) {
        let known = self.settled(id).await;
        assert_eq!(known.state, "failed", "{known:?}");
        (known.result, known.tries)
    }

    /// Waits until a send is sent; gives the result and how often it was tried.
    pub(super) async fn sent(&self, id: EmitId) -> (String, u32) {
        let known = self.settled(id).await;
        assert_eq!(known.state, "sent", "{known:?}");
        (known.result, known.tries)
    }
}

pub(super) fn workflow() -> WorkflowId {
    WorkflowId::parse("p_sender1").expect("an id")
}

pub(super) fn now() -> i64 {
    SystemClock.now_ms()
}
