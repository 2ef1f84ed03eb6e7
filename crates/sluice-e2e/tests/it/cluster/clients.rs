//! Clients that number their requests, and send the next one when the last was acknowledged.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use sluice_testkit::{Api, Method, now_ms};
use tokio::{task::JoinSet, time::sleep};

/// Counts in its store, and repeats the request in its event. Some invocations end later than the next ones.
pub(super) const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ ...event.body, count });
    if (event.body.n % 3 === 0) await new Promise((done) => setTimeout(done, Math.random() * 30));
  },
};"#;

/// A node that is frozen or cut off does not answer within this time. Others do.
const ANSWERS_WITHIN: Duration = Duration::from_millis(1_500);
const PAUSE: Duration = Duration::from_millis(40);

/// One attempt of a client to send a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Request {
    pub(super) n: u64,
    pub(super) attempt: u64,
    pub(super) is_acknowledged: bool,
}

/// The requests of a client, in order.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) client: u64,
    pub(super) requests: Vec<Request>,
}

/// Clients of one source.
pub(super) struct Clients {
    tasks: JoinSet<Sent>,
    stop: Arc<AtomicBool>,
}

impl Clients {
    /// `endpoints` are those of one source, on each node.
    pub(super) fn start(endpoints: &[String], count: u64) -> Clients {
        let stop = Arc::new(AtomicBool::new(false));
        let clients = (0..count).map(|client| Client {
            // A client of its own has connections of its own.
            api: Api::new("", ""),
            endpoints: endpoints.to_owned(),
            next_node: usize::try_from(client).expect("a small number"),
            stop: Arc::clone(&stop),
            sent: Sent {
                client,
                requests: Vec::new(),
            },
        });
        Clients {
            tasks: clients.map(Client::run).collect(),
            stop,
        }
    }

    /// Lets the clients end their last number, and gives what they sent.
    pub(super) async fn finish(self) -> Vec<Sent> {
        self.stop.store(true, Ordering::SeqCst);
        self.tasks.join_all().await
    }
}

struct Client {
    api: Api,
    endpoints: Vec<String>,
    next_node: usize,
    stop: Arc<AtomicBool>,
    sent: Sent,
}

impl Client {
    async fn run(mut self) -> Sent {
        let mut n = 0;
        while !self.stop.load(Ordering::SeqCst) {
            n += 1;
            self.send_until_acknowledged(n).await;
            sleep(PAUSE).await;
        }
        self.sent
    }

    /// Every attempt goes to another node.
    async fn send_until_acknowledged(&mut self, n: u64) {
        for attempt in 1.. {
            let is_acknowledged = self.send(n, attempt).await;
            self.sent.requests.push(Request {
                n,
                attempt,
                is_acknowledged,
            });
            if is_acknowledged {
                return;
            }
            sleep(PAUSE).await;
        }
    }

    async fn send(&mut self, n: u64, attempt: u64) -> bool {
        self.next_node = (self.next_node + 1) % self.endpoints.len();
        let request = self
            .api
            .absolute(Method::POST, &self.endpoints[self.next_node])
            .timeout(ANSWERS_WITHIN)
            .json(&json!({
                "client": self.sent.client, "n": n, "attempt": attempt, "sent_at": now_ms(),
            }));
        match request.try_send().await {
            Ok(answer) if answer.status == 503 => false,
            Ok(answer) => {
                answer.expect(200);
                true
            }
            Err(_) => false,
        }
    }
}
