//! Concurrent clients that post numbered bodies over connections they keep, and remember what became of each number.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rand::RngExt;
use serde_json::{Value, json};
use sluice_testkit::{Api, Method, TestRng};
use tokio::{sync::watch, task::JoinSet};

use crate::support::Deployed;

/// What a client does about a number that got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Goes on to the next number.
    SendOnce,
    /// Sends it again until it is accepted, and then once more, as careful webhooks do.
    Insist,
}

#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) accepted: BTreeSet<u64>,
    pub(super) unanswered: BTreeSet<u64>,
    /// The ids in the answers.
    pub(super) invocations: BTreeSet<String>,
    pub(super) answers: usize,
}

/// Whether there is a server to talk to. A client that hammers the port of a dead one could take it for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Up,
    Down,
    Over,
}

pub(super) struct Traffic {
    clients: JoinSet<Sent>,
    accepted: Arc<AtomicUsize>,
}

impl Traffic {
    pub(super) fn start(
        source: &Deployed,
        clients: usize,
        habit: Habit,
        phase: &watch::Receiver<Phase>,
    ) -> Traffic {
        Traffic::of(source.endpoint(), clients, habit, Duration::ZERO, phase)
    }

    /// Clients that send once and pause after each answer.
    pub(super) fn paced(
        endpoint: &str,
        clients: usize,
        pause: Duration,
        phase: &watch::Receiver<Phase>,
    ) -> Traffic {
        Traffic::of(endpoint, clients, Habit::SendOnce, pause, phase)
    }

    fn of(
        endpoint: &str,
        clients: usize,
        habit: Habit,
        pause: Duration,
        phase: &watch::Receiver<Phase>,
    ) -> Traffic {
        let next = Arc::new(AtomicU64::new(1));
        let accepted = Arc::new(AtomicUsize::new(0));
        let clients = (0..clients).map(|_| Client {
            // A client of its own has connections of its own.
            api: Api::new("", ""),
            endpoint: endpoint.to_owned(),
            next: Arc::clone(&next),
            accepted: Arc::clone(&accepted),
            pause,
            phase: phase.clone(),
            sent: Sent::default(),
        });
        Traffic {
            clients: clients.map(|client| client.run(habit)).collect(),
            accepted,
        }
    }

    /// The number of requests that were accepted so far.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Waits for the clients to end and adds up what they sent.
    pub(super) async fn sum(self) -> Sent {
        let mut total = Sent::default();
        for one in self.clients.join_all().await {
            total.accepted.extend(one.accepted);
            total.unanswered.extend(one.unanswered);
            total.invocations.extend(one.invocations);
            total.answers += one.answers;
        }
        total
    }
}

struct Client {
    api: Api,
    endpoint: String,
    next: Arc<AtomicU64>,
    accepted: Arc<AtomicUsize>,
    pause: Duration,
    phase: watch::Receiver<Phase>,
    sent: Sent,
}

impl Client {
    async fn run(mut self, habit: Habit) -> Sent {
        while self.may_send().await {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let mut accepted = self.send(n).await;
            if habit == Habit::Insist {
                while !accepted && self.may_send().await {
                    accepted = self.send(n).await;
                }
                self.send(n).await;
            }
            if accepted {
                self.sent.accepted.insert(n);
                self.accepted.fetch_add(1, Ordering::Relaxed);
            } else {
                self.sent.unanswered.insert(n);
            }
            if !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
        }
        self.sent
    }

    /// Waits for a server; false when it is time to end.
    async fn may_send(&mut self) -> bool {
        let phase = self.phase.wait_for(|phase| *phase != Phase::Down).await;
        phase.is_ok_and(|phase| *phase == Phase::Up)
    }

    /// Whether the request was accepted; whatever answers says 200, unless it is about to stop.
    async fn send(&mut self, n: u64) -> bool {
        let request = self.api.absolute(Method::POST, &self.endpoint);
        match request.json(&body(n)).try_send().await {
            Ok(answer) if answer.status == 503 && *self.phase.borrow() == Phase::Down => false,
            Ok(answer) => {
                let id = answer.expect(200)["id"].as_str().map(str::to_owned);
                self.sent.invocations.insert(id.expect("an invocation id"));
                self.sent.answers += 1;
                true
            }
            Err(_) => false,
        }
    }
}

/// Bodies of all sizes, so that messages to and from a process end anywhere in its pipe.
fn body(n: u64) -> Value {
    let padding = TestRng.random_range(0..3_000);
    json!({ "n": n, "padding": "x".repeat(padding) })
}
