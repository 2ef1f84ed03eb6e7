//! Requests at a steady rate, each sent once over a connection of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use sluice_testkit::{Api, Method, now_ms};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::interval,
};

use super::clients::{Request, Sent};

/// Each request is that of a client of its own.
pub(super) struct Steady {
    task: JoinHandle<Vec<Outcome>>,
    stop: Arc<AtomicBool>,
}

/// What became of a request.
pub(super) struct Outcome {
    /// The place of its endpoint.
    pub(super) endpoint: usize,
    pub(super) sent: Sent,
    /// Why it was not acknowledged.
    pub(super) error: Option<String>,
}

impl Steady {
    /// Sends to the endpoints in turn.
    pub(super) fn start(endpoints: Vec<String>, per_second: u32) -> Steady {
        let stop = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(send_all(endpoints, per_second, Arc::clone(&stop)));
        Steady { task, stop }
    }

    /// Sends no more, and waits for the answers.
    pub(super) async fn finish(self) -> Vec<Outcome> {
        self.stop.store(true, Ordering::SeqCst);
        self.task.await.expect("no panic")
    }
}

async fn send_all(endpoints: Vec<String>, per_second: u32, stop: Arc<AtomicBool>) -> Vec<Outcome> {
    let api = Api::new("", "");
    let mut ticks = interval(Duration::from_secs(1) / per_second);
    let mut requests = JoinSet::new();
    for (client, (place, endpoint)) in (0..).zip(endpoints.iter().enumerate().cycle()) {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        ticks.tick().await;
        let (api, endpoint) = (api.clone(), endpoint.clone());
        requests.spawn(async move { send(&api, &endpoint, place, client).await });
    }
    requests.join_all().await
}

async fn send(api: &Api, endpoint: &str, place: usize, client: u64) -> Outcome {
    let body = json!({ "client": client, "n": 1, "attempt": 1, "sent_at": now_ms() });
    let request = api
        .absolute(Method::POST, endpoint)
        .header("connection", "close")
        .json(&body);
    let error = match request.try_send().await {
        Ok(answer) if answer.status == 200 => None,
        Ok(answer) => Some(format!("{}: {}", answer.status, answer.text)),
        Err(error) => Some(format!("{error:?}")),
    };
    let request = Request {
        n: 1,
        attempt: 1,
        is_acknowledged: error.is_none(),
    };
    Outcome {
        endpoint: place,
        sent: Sent {
            client,
            requests: vec![request],
        },
        error,
    }
}
