//! A server in the process of its test.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use serde_json::json;
use sluice_app::{App, Notifier};
use sluice_engine::Engine;
use sluice_infra::{Infra, Settings, testing};
use sluice_model::{ApiKey, Clock, SystemClock};
use sluice_runtime::Processes;
use sluice_server::{Listeners, ServerState, Tls};
use sluice_testkit::Api;
use sluice_traces::{Collector, Resource, Sampling, Traces, TracesOptions};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{contract, described, support::unique_name};

const OPERATOR_KEY: &str = "0123456789abcdef0123456789abcdef";

/// Traces of clients that a server records in a second.
const CLIENT_TRACES: u32 = 1_000;

/// It ends when all its users are dropped.
pub(crate) struct TestServer {
    url: String,
    pub(crate) clock: MovableClock,
    pub(crate) infra: Infra,
    notifier: Notifier,
    _stop: DropGuard,
    _folder: TempDir,
}

/// The clock of the machine, which a test can put forward.
#[derive(Clone, Default)]
pub(crate) struct MovableClock(Arc<AtomicI64>);

impl MovableClock {
    pub(crate) fn advance(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for MovableClock {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() + self.0.load(Ordering::SeqCst)
    }
}

/// A user of a server. Requests are made through it as through [`Api`].
#[derive(Clone)]
pub(crate) struct User {
    api: Api,
    pub(crate) server: Arc<TestServer>,
}

impl Deref for User {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

impl TestServer {
    pub(crate) async fn start() -> Arc<TestServer> {
        TestServer::with(|_| {}).await
    }

    /// Starts a server with other settings. Components are described by their code.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Arc<TestServer> {
        TestServer::build(change, None, |_| {}).await
    }

    /// As [`TestServer::with`], over TLS if there is a certificate.
    pub(crate) async fn secured(
        change: impl FnOnce(&mut Settings),
        tls: Option<Arc<Tls>>,
    ) -> Arc<TestServer> {
        TestServer::build(change, tls, |_| {}).await
    }

    /// Starts a server that sends spans to this collector, and begins this share of traces.
    pub(crate) async fn traced(collector: &str, ratio: f64) -> Arc<TestServer> {
        TestServer::traced_up_to(CLIENT_TRACES, collector, ratio).await
    }

    /// As [`TestServer::traced`], with another limit of traces that clients begin.
    pub(crate) async fn traced_up_to(
        client_traces: u32,
        collector: &str,
        ratio: f64,
    ) -> Arc<TestServer> {
        let start = |infra: &mut Infra| {
            let ids = infra.ids.clone();
            let options = TracesOptions {
                collector: Collector::parse(collector, "").unwrap(),
                resource: Resource {
                    service: "test".to_owned(),
                    version: "0.0.0".to_owned(),
                    instance: "test".to_owned(),
                },
                sampling: Sampling::ratio(ratio).unwrap(),
                client_traces,
                clock: Arc::clone(&infra.clock),
                metrics: infra.metrics.spans.clone(),
                random: Box::new(move || ids.random()),
            };
            infra.traces = Traces::start(options).unwrap();
        };
        TestServer::build(|_| {}, None, start).await
    }

    async fn build(
        change: impl FnOnce(&mut Settings),
        tls: Option<Arc<Tls>>,
        prepare: impl FnOnce(&mut Infra),
    ) -> Arc<TestServer> {
        // One TLS provider for the process. The error only means that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().expect("the temporary folder is writable");
        let listener = sluice_server::listen("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut settings = Settings {
            public_url: url.clone(),
            ..testing::settings(folder.path())
        };
        change(&mut settings);
        let clock = MovableClock::default();
        let time: Arc<dyn Clock> = Arc::new(clock.clone());
        let mut infra = testing::infra_at(folder.path(), Arc::clone(&time), settings);
        prepare(&mut infra);
        let processes = described::processes(time);
        let processes = processes.with_tmp(folder.path().to_owned());
        let processes: Arc<dyn Processes> = Arc::new(processes);
        let engine = Box::new(Engine::start(&infra, &processes).await.unwrap());
        let app = Box::new(App::new(&infra, &engine, &processes).unwrap());
        app.users
            .ensure_first(ApiKey::parse(OPERATOR_KEY), None)
            .await
            .unwrap();
        let notifier = Notifier::new(&infra, engine.outbox.clone());
        let stop = CancellationToken::new();
        let state = ServerState::new(*app, &infra, &engine);
        let listeners = Listeners {
            clients: listener,
            tls,
            nodes: None,
        };
        tokio::spawn(sluice_server::serve(listeners, state, stop.clone()));
        Arc::new(TestServer {
            url,
            clock,
            infra,
            notifier,
            _stop: stop.drop_guard(),
            _folder: folder,
        })
    }

    /// Writes the notifications that are due, as the server does every few seconds.
    pub(crate) async fn notify(&self) {
        self.notifier.pass().await.unwrap();
    }

    /// `http://127.0.0.1:<port>`, without a slash at the end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The first user.
    pub(crate) fn operator(self: &Arc<Self>) -> User {
        self.user_with_key(OPERATOR_KEY)
    }

    /// A new user with the free plan.
    pub(crate) async fn user(self: &Arc<Self>) -> User {
        self.user_on("free").await
    }

    pub(crate) async fn user_on(self: &Arc<Self>, plan: &str) -> User {
        self.user_named(&unique_name(), plan).await
    }

    pub(crate) async fn user_named(self: &Arc<Self>, name: &str, plan: &str) -> User {
        let email = format!("{name}@example.com");
        let body = json!({ "username": name, "email": email, "plan": plan });
        let user = self.operator().post("/users", &body).await.ok();
        self.user_with_key(user["api_key"].as_str().expect("a key"))
    }

    fn user_with_key(self: &Arc<Self>, key: &str) -> User {
        User {
            api: Api::new(&self.url, key).checked(contract::check),
            server: Arc::clone(self),
        }
    }
}
