//! A server under load whose events go to a listening source and to three webhooks: one is well, one fails at times,
//! one hangs at times.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use sluice_testkit::{
    Api, Backend, Plan,
    receiver::{Answer, Delivery, Receiver},
    wait_for,
};
use tokio::sync::watch;

use super::{
    stage::Stage,
    traffic::{Phase, Sent, Traffic},
};
use crate::support::{Deployed, PATIENCE, deploy, unique_name};

/// Short at first; in the end so patient that nothing is given up.
const RETRIES: &str = "200ms,500ms,1s,1s,2s,2s,5s,5s,60s,60s";
const ARGS: [&str; 9] = [
    "--event-retention",
    "10000000",
    "--delivery-retention",
    "10000000",
    "--allow-private-network",
    "--webhook-retries",
    RETRIES,
    "--webhook-timeout",
    "2s",
];
const CLIENTS: usize = 2;
/// Leaves the machine time to breathe: the moment between an answer and its record is that of a server, not of a queue.
const PAUSE: Duration = Duration::from_millis(100);
/// While the failing webhook fails at everything, and how often that comes.
const OUTAGE: Duration = Duration::from_millis(400);
const OUTAGE_EVERY: u128 = 20;

pub(super) const PARTS: u64 = 3;

/// Each request becomes three events.
const TILL: &str = r#"module.exports = {
  name: "till", version: "0.0.1", props: { http: "$.interface.http" },
  async run(event) {
    const { n, padding } = event.body;
    for (let part = 0; part < 3; part++) this.$emit({ n, part, padding: padding.slice(part * 1000) });
    if (n % 5 === 0) await new Promise((done) => setTimeout(done, Math.random() * 20));
  },
};"#;

/// Runs for each event that it hears, and says which.
const RELAY: &str = r#"module.exports = {
  name: "relay", version: "0.0.1",
  run(event) { this.$emit({ n: event.n, part: event.part }) },
};"#;

pub(super) struct Mailroom {
    pub(super) stage: Stage,
    /// Where requests come in; the relay listens to the first.
    pub(super) tills: Vec<Deployed>,
    pub(super) relay: Deployed,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) receiver: Receiver,
    mood: Arc<Mood>,
    phase: watch::Sender<Phase>,
    traffic: Vec<Traffic>,
}

pub(super) struct Webhook {
    pub(super) path: &'static str,
    pub(super) secret: String,
    /// The ids of the sources that it is subscribed to.
    pub(super) hears: Vec<String>,
    /// The number of requests that may be under way.
    concurrency: usize,
}

/// The number of requests to a till, at least.
pub(super) const ENOUGH: usize = 20;
pub(super) const WELL: &str = "/well";
const FAILING: &str = "/failing";
const HANGING: &str = "/hanging";

impl Mailroom {
    /// Starts the server and the load.
    pub(super) async fn open(backend: Backend, seed: u64) -> Mailroom {
        let stage = Stage::start(backend, &ARGS).await;
        let api = stage.user(&unique_name(), Plan::Free).await;
        let mut tills = Vec::new();
        for _ in 0..3 {
            tills.push(deploy(&api, TILL).await);
        }
        let relay = deploy(&api, RELAY).await;
        subscribe(&api, &tills[0].id, &relay.id).await;

        let mood = Arc::new(Mood::default());
        let receiver = Receiver::start(moody(Arc::clone(&mood), seed));
        let ids: Vec<&str> = tills.iter().map(|till| till.id.as_str()).collect();
        let well = webhook(&api, &receiver, WELL, 1, &["dc_*"]).await;
        let everyone = ids.iter().copied().chain([relay.id.as_str()]);
        let webhooks = vec![
            Webhook {
                hears: everyone.map(str::to_owned).collect(),
                ..well
            },
            webhook(&api, &receiver, FAILING, 1, &[ids[0], &relay.id]).await,
            webhook(&api, &receiver, HANGING, 2, &[ids[1], &relay.id]).await,
        ];

        let (phase, watch) = watch::channel(Phase::Up);
        let traffic = tills
            .iter()
            .map(|till| Traffic::paced(till.endpoint(), CLIENTS, PAUSE, &watch))
            .collect();
        Mailroom {
            stage,
            tills,
            relay,
            webhooks,
            receiver,
            mood,
            phase,
            traffic,
        }
    }

    /// The number of deliveries that may be under way.
    pub(super) fn concurrency(&self) -> usize {
        self.webhooks
            .iter()
            .map(|webhook| webhook.concurrency)
            .sum()
    }

    pub(super) async fn kill_and_restart(&mut self) {
        self.phase.send_replace(Phase::Down);
        self.stage.restart().await;
        self.phase.send_replace(Phase::Up);
    }

    /// SIGTERM comes while clients still send.
    pub(super) async fn terminate_and_restart(&mut self) {
        let phase = &self.phase;
        let (status, _) = tokio::join!(self.stage.terminate(), async {
            phase.send_replace(Phase::Down)
        });
        assert_eq!(status.code(), Some(0), "{}", self.stage.logs());
        self.stage.restart().await;
        self.phase.send_replace(Phase::Up);
    }

    /// From now on every webhook is well.
    pub(super) fn recover(&self) {
        self.mood.recovered.store(true, Ordering::SeqCst);
    }

    /// Waits until each till has accepted enough requests, and a webhook has failed.
    async fn until_loaded(&self) {
        wait_for(PATIENCE, "the load and its failures", async || {
            let accepted = self.traffic.iter().all(|one| one.accepted() > ENOUGH);
            (accepted && self.mood.failed.load(Ordering::SeqCst)).then_some(())
        })
        .await;
    }

    /// Ends the load, waits until all of it is run and delivered, and tells what was sent to each till.
    pub(super) async fn close(&mut self) -> Vec<Sent> {
        self.until_loaded().await;
        self.recover();
        self.phase.send_replace(Phase::Over);
        let mut sent = Vec::new();
        for traffic in self.traffic.drain(..) {
            sent.push(traffic.sum().await);
        }
        // In this order: the tills fill the inbox of the relay, and all of them the outbox.
        for source in self.tills.iter().chain([&self.relay]) {
            self.stage.settled(source).await;
        }
        let ledger = &self.stage.ledger;
        wait_for(PATIENCE * 4, "the outbox to run empty", async || {
            (ledger.deliveries("pending") == 0).then_some(())
        })
        .await;
        assert_eq!(ledger.deliveries("failed"), 0, "deliveries were given up");
        self.stage.kill9();
        sent
    }
}

async fn subscribe(api: &Api, emitter: &str, listener: &str) {
    let body = json!({ "emitter_id": emitter, "listener_id": listener });
    api.post("/subscriptions", &body).await.ok();
}

async fn webhook(
    api: &Api,
    receiver: &Receiver,
    path: &'static str,
    concurrency: usize,
    emitters: &[&str],
) -> Webhook {
    let body = json!({ "url": receiver.url(path), "concurrency": concurrency });
    let webhook = api.post("/webhooks", &body).await.ok();
    let text = |field: &str| webhook[field].as_str().expect("text").to_owned();
    for emitter in emitters {
        subscribe(api, emitter, &text("id")).await;
    }
    Webhook {
        path,
        secret: text("signing_secret"),
        hears: emitters.iter().copied().map(str::to_owned).collect(),
        concurrency,
    }
}

/// The state of the webhooks.
#[derive(Default)]
struct Mood {
    recovered: AtomicBool,
    /// Whether one has failed an attempt.
    failed: AtomicBool,
}

impl Mood {
    fn fail(&self, answer: Answer) -> Answer {
        self.failed.store(true, Ordering::SeqCst);
        answer
    }
}

/// Answers as three webhooks would, two of them unwell until they have recovered.
fn moody(mood: Arc<Mood>, seed: u64) -> impl Fn(&Delivery) -> Answer {
    let rng = Mutex::new(StdRng::seed_from_u64(seed));
    let start = Instant::now();
    move |delivery| {
        let dice: u32 = rng.lock().random_range(0..1000);
        let period = start.elapsed().as_millis() / OUTAGE.as_millis();
        let outage = period.is_multiple_of(OUTAGE_EVERY);
        match (delivery.path.as_str(), dice) {
            _ if mood.recovered.load(Ordering::SeqCst) => Answer::status(200),
            (FAILING, 0..100) => mood.fail(Answer::status(500).body("no")),
            (FAILING, _) if outage => mood.fail(Answer::status(503)),
            (FAILING, 100..120) => mood.fail(Answer::Close),
            (HANGING, 0..5) => Answer::Hang,
            (HANGING, 5..50) => Answer::status(204).after(Duration::from_millis(5)),
            _ => Answer::status(200),
        }
    }
}
