//! An outbox on a fresh database, and rows for it.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::json;
use sluice_infra::{ClockWatch, Infra, Shutdown, Supervisor, testing};
use sluice_model::{EmitId, EventId, ManualClock, SourceId, UserId, WebhookId};
use sluice_store::{
    Conn, StoreError,
    deliveries::{self, Outgoing},
    nodes::{self, NewNode},
    params, query_all,
    sends::{self, SendKind, SendRow, SendState},
    webhooks::{self, Webhook},
};
use sluice_testkit::wait_for;
use tempfile::TempDir;

use crate::{
    claims::Claims,
    delivery_observer::DeliveryObserver,
    dispatcher::{Dispatcher, Limits},
    journal::Journal,
    net_guard::NetGuard,
    outbox::Outbox,
    sender::Sender,
    senders::{SendSenders, WebhookSender},
};

pub(super) use sluice_infra::testing::NOW;

pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Counts what the outbox tells it.
#[derive(Default)]
pub(super) struct Observed(Mutex<(u64, u64)>);

impl DeliveryObserver for Observed {
    fn attempted(&self, _: &UserId, _: &WebhookId, delivered: u64, failed: u64) {
        let mut sums = self.0.lock();
        *sums = (sums.0 + delivered, sums.1 + failed);
    }
}

pub(super) struct Fixture {
    pub(super) outbox: Outbox,
    pub(super) infra: Infra,
    pub(super) clock: ManualClock,
    observed: Arc<Observed>,
    _folder: TempDir,
}

impl Fixture {
    pub(super) fn new() -> Fixture {
        Fixture::with(None)
    }

    /// With a sender for HTTP of its own.
    pub(super) fn with(http: Option<Arc<dyn Sender<SendRow>>>) -> Fixture {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (infra, clock) = testing::infra(folder.path());
        Fixture::on(infra, clock, folder, http)
    }

    /// A node whose lease has run out.
    pub(super) fn without_lease() -> Fixture {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (mut infra, clock) = testing::infra(folder.path());
        infra.cluster = sluice_cluster::testing::without_lease(&infra.store);
        Fixture::on(infra, clock, folder, None)
    }

    /// A node on a new database, which other nodes use too. It is alive for an hour.
    pub(super) async fn node() -> Fixture {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (infra, clock) = testing::infra(folder.path());
        Fixture::join(infra, clock, folder, "first").await
    }

    /// Another node on the same database.
    pub(super) async fn another_node(&self) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let mut infra = self.infra.clone();
        infra.settings = Arc::new(testing::settings(folder.path()));
        infra.shutdown = Shutdown::default();
        Fixture::join(infra, self.clock.clone(), folder, "second").await
    }

    async fn join(mut infra: Infra, clock: ManualClock, folder: TempDir, name: &str) -> Fixture {
        infra.cluster = sluice_cluster::testing::sharing(name);
        let fixture = Fixture::on(infra, clock, folder, None);
        fixture.add_node(name).await;
        fixture
    }

    fn on(
        infra: Infra,
        clock: ManualClock,
        folder: TempDir,
        http: Option<Arc<dyn Sender<SendRow>>>,
    ) -> Fixture {
        let observed = Arc::new(Observed::default());
        let outbox = Outbox::with(dispatcher(&infra, &observed, http));
        Fixture {
            outbox,
            infra,
            clock,
            observed,
            _folder: folder,
        }
    }

    /// Adds a node that is alive for an hour.
    pub(super) async fn add_node(&self, incarnation: &str) {
        let node = NewNode {
            name: incarnation.to_owned(),
            incarnation: incarnation.to_owned(),
            address: None,
            public_url: "http://127.0.0.1".to_owned(),
            version: "0.0.0".to_owned(),
            protocol: 1,
        };
        self.write(move |c| {
            nodes::join(c, &node, false)?;
            let sql = "UPDATE nodes SET expires_at = expires_at + 3600000 WHERE incarnation = ?1";
            c.execute_later(sql, params![&node.incarnation])
        })
        .await;
    }

    /// The node leaves, as others see it.
    pub(super) async fn leave(&self) {
        let node = self.infra.cluster.incarnation().to_owned();
        self.write(move |c| nodes::leave(c, &node)).await;
    }

    /// The node that has claimed each queue.
    pub(super) async fn claims(&self) -> Vec<(String, Option<String>)> {
        let sql = "SELECT queue, owner FROM queue_claims ORDER BY queue";
        let read = self.infra.store.read(|c| query_all(c, sql, &[]));
        read.await.unwrap()
    }

    /// Waits until no queue has a worker.
    pub(super) async fn is_idle(&self) {
        wait_for(PATIENCE, "the workers to leave", async || {
            self.outbox.is_idle().then_some(())
        })
        .await;
    }

    /// Deliveries that the observer was told of: delivered and failed.
    pub(super) fn observed(&self) -> (u64, u64) {
        *self.observed.0.lock()
    }

    pub(super) async fn write(
        &self,
        work: impl FnOnce(&mut dyn Conn) -> Result<(), StoreError> + Send + 'static,
    ) {
        self.infra.store.write(work).await.unwrap();
    }

    /// A webhook with a delivery for each of `1..=count`, which were stored at `created_at`.
    pub(super) async fn webhook(&self, url: &str, count: usize, created_at: i64) -> WebhookId {
        let id = WebhookId::parse("wh_a").unwrap();
        let webhook = Webhook {
            id: id.clone(),
            user_id: user(),
            name: None,
            description: None,
            url: url.to_owned(),
            active: true,
            concurrency: 1,
            secret: self.infra.vault.seal(
                b"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                &mut self.infra.ids.rng(),
            ),
            previous: None,
            created_at,
            updated_at: created_at,
        };
        self.write(move |c| webhooks::insert(c, &webhook)).await;
        self.deliveries(&id, count, created_at).await;
        id
    }

    /// Stores more deliveries to a webhook.
    pub(super) async fn deliveries(&self, webhook: &WebhookId, count: usize, created_at: i64) {
        let emits: Vec<EmitId> = (0..count).map(|_| self.infra.ids.emit()).collect();
        let listener = webhook.clone();
        self.write(move |c| {
            for (emit, number) in emits.iter().zip(1_u32..) {
                let outgoing = Outgoing {
                    emit_id: emit,
                    emitter: &SourceId::parse("dc_a").unwrap().into(),
                    id: EventId {
                        ms: created_at,
                        seq: number.into(),
                    },
                    channel: "",
                    meta: "{}",
                    data: &number.to_string(),
                    trace: None,
                };
                deliveries::insert_payload(c, &outgoing)?;
                deliveries::insert(c, emit, &listener, created_at)?;
            }
            Ok(())
        })
        .await;
    }

    /// Stores a GET request that is due at `due_at`.
    pub(super) async fn send(&self, url: &str, due_at: i64) {
        let row = SendRow {
            id: self.infra.ids.emit(),
            step: None,
            user_id: user(),
            kind: SendKind::Http,
            state: SendState::Pending,
            due_at: Some(due_at),
            tries: 0,
            result: None,
            created_at: due_at,
            updated_at: due_at,
            payload: json!({ "method": "GET", "url": url }).to_string(),
            trace: None,
        };
        self.write(move |c| sends::insert(c, &row)).await;
    }

    /// Waits until the rows of a table have these states and attempts.
    pub(super) async fn wait_for(&self, table: &'static str, expected: &[(&str, u32)]) {
        let what = format!("{table} to be {expected:?}");
        wait_for(PATIENCE, &what, async || {
            let rows = self.states(table).await;
            let rows = rows.iter().map(|(state, tries)| (state.as_str(), *tries));
            rows.eq(expected.iter().copied()).then_some(())
        })
        .await;
    }

    pub(super) async fn states(&self, table: &'static str) -> Vec<(String, u32)> {
        let sql = format!("SELECT state, tries FROM {table} ORDER BY id");
        let read = self.infra.store.read(move |c| query_all(c, &sql, &[]));
        read.await.unwrap()
    }
}

fn dispatcher(
    infra: &Infra,
    observed: &Arc<Observed>,
    http: Option<Arc<dyn Sender<SendRow>>>,
) -> Dispatcher {
    let guard = NetGuard::new(true);
    let journal = Arc::new(Journal::open(&infra.settings.data_dir));
    let clock = Arc::clone(&infra.clock);
    let timeout = infra.settings.webhook_timeout;
    let traces = infra.traces.clone();
    let webhook = WebhookSender::new(guard, timeout, clock, Arc::clone(&journal), traces).unwrap();
    let mut senders = SendSenders::new(infra, guard).unwrap();
    if let Some(http) = http {
        senders.set_http(http);
    }
    let retries = [Duration::from_millis(100)];
    Dispatcher {
        webhooks: Limits::new(Arc::new(webhook), &retries, 64),
        sends: Limits::new(senders, &retries, 64),
        supervisor: Supervisor::new(infra.shutdown.clone(), Arc::clone(&infra.metrics)),
        registry: Arc::default(),
        claims: Arc::new(Claims::new(infra.clone())),
        clock_watch: Arc::new(ClockWatch::default()),
        journal,
        observer: Arc::clone(observed) as _,
        infra: infra.clone(),
    }
}

fn user() -> UserId {
    UserId::parse("u_a").unwrap()
}
