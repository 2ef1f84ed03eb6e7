//! The restore drill: a backup under load, a kill, an empty machine, a restore. Nothing that was acknowledged before the backup
//! began is missing.

use std::{
    collections::BTreeSet,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Api, Backend, Method, Plan, scratch_folder, wait_for};
use tokio::task::JoinSet;

use super::site::Site;
use crate::support::{PATIENCE, deploy, unique_name};

const CLIENTS: usize = 4;
/// Accepted requests before the backup and during it.
const ENOUGH: usize = 40;

/// Counts in its store, so that state and events can be compared.
const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count });
    if (event.body.n % 5 === 0) await new Promise((done) => setTimeout(done, 50));
  },
};"#;

#[rstest]
#[case::sqlite(Backend::Sqlite, Backend::Sqlite)]
#[case::postgres(Backend::Postgres, Backend::Postgres)]
#[case::from_sqlite_to_postgres(Backend::Sqlite, Backend::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_acknowledged_before_the_backup_is_missing(
    #[case] from: Backend,
    #[case] to: Backend,
) {
    let site = Site::new(from);
    let mut server = site.start().await;
    let operator_key = server.api().key().to_owned();
    let api = server.user(&unique_name(), Plan::Free).await;
    let source = deploy(&api, COUNTER).await;
    let load = Load::start(source.endpoint());
    load.wait_for(ENOUGH).await;

    let acknowledged = load.accepted();
    let folder = scratch_folder();
    let passphrase = folder.path().join("passphrase");
    fs::write(&passphrase, "correct horse\n").expect("a file");
    let passphrase = passphrase.to_str().expect("a path in UTF-8");
    let file = folder.path().join("sluice.backup");
    let more = ["--with-key", "--passphrase-file", passphrase];
    let file = site.backup(&file, &more).await;
    assert!(
        load.accepted().len() > acknowledged.len(),
        "the load goes on"
    );
    load.wait_for(acknowledged.len() + ENOUGH).await;
    server.kill9();
    load.stop().await;
    drop(server);
    drop(site);

    let restored = Site::new(to);
    let restore = ["restore", &file, "--passphrase-file", passphrase];
    let report = restored.run(&restore).await.ok();
    assert!(report.contains("verified"), "{report}");
    let server = restored.start().await;
    let api = Api::new(server.url(), api.key());
    let again = api.get(&source.path("")).await.ok();
    assert_eq!(again["id"], json!(source.id));
    assert_eq!(path_of(&again), path_of(&source.source));

    let ledger = restored.ledger();
    wait_for(PATIENCE, "the inbox to run empty", async || {
        (ledger.waiting(&source.id) == 0).then_some(())
    })
    .await;
    let events = ledger.events(&source.id);
    let numbers: BTreeSet<u64> = events.iter().map(|event| event.number("n")).collect();
    assert_eq!(numbers.len(), events.len(), "no event twice");
    let missing: Vec<_> = acknowledged.difference(&numbers).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    let count = ledger.stored(&source.id, "count");
    assert_eq!(count, Some(json!(events.len())), "state and events agree");

    let operator = Api::new(server.url(), &operator_key);
    let log = operator.get("/audit?scope=all&action=server").await;
    let log = log.expect(200);
    assert_eq!(log["data"][0]["action"], "server.restore");
    assert_eq!(log["data"][0]["actor"]["credential"], "machine");

    // It goes on where it stopped.
    let url = again["configured_props"]["http"]["endpoint_url"].as_str();
    let request = api.absolute(Method::POST, url.expect("an endpoint"));
    request
        .json(&json!({ "n": 1_000_000 }))
        .send()
        .await
        .expect(200);
    wait_for(PATIENCE, "one more event", async || {
        (ledger.events(&source.id).len() > events.len()).then_some(())
    })
    .await;
}

/// The path of the endpoint: the port is that of the server.
fn path_of(source: &serde_json::Value) -> String {
    let url = source["configured_props"]["http"]["endpoint_url"].as_str();
    let path = url.and_then(|url| url.rsplit_once('/'));
    path.expect("an endpoint").1.to_owned()
}

/// Clients that post numbers and remember which were accepted.
struct Load {
    clients: JoinSet<()>,
    accepted: Arc<Mutex<BTreeSet<u64>>>,
    is_over: Arc<AtomicBool>,
}

impl Load {
    fn start(endpoint: &str) -> Load {
        let accepted: Arc<Mutex<BTreeSet<u64>>> = Arc::default();
        let is_over: Arc<AtomicBool> = Arc::default();
        let next = Arc::new(AtomicU64::new(1));
        let client = |_| {
            let (accepted, is_over, next) = (accepted.clone(), is_over.clone(), next.clone());
            let endpoint = endpoint.to_owned();
            async move {
                let api = Api::new("", "");
                while !is_over.load(Ordering::Relaxed) {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let request = api.absolute(Method::POST, &endpoint);
                    let sent = request.json(&json!({ "n": n })).try_send().await;
                    match sent {
                        Ok(answer) if answer.status == 200 => accepted.lock().insert(n),
                        // The server was killed.
                        Ok(_) | Err(_) => return,
                    };
                }
            }
        };
        Load {
            clients: (0..CLIENTS).map(client).collect(),
            accepted,
            is_over,
        }
    }

    fn accepted(&self) -> BTreeSet<u64> {
        self.accepted.lock().clone()
    }

    async fn wait_for(&self, count: usize) {
        wait_for(PATIENCE, "some load", async || {
            (self.accepted.lock().len() >= count).then_some(())
        })
        .await;
    }

    async fn stop(self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.clients.join_all().await;
    }
}
