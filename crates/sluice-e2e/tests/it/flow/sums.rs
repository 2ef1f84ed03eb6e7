//! A reader of traffic that adds up what it was told.

use std::{collections::BTreeMap, pin::Pin};

use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt};
use serde_json::{Value, json};
use sluice_testkit::{Api, Plan, ServerInfo, shared};
use tokio::time::timeout;

use crate::{
    streams::reader::ask,
    support::{PATIENCE, own_server, unique_name},
};

type Parsed = Result<eventsource_stream::Event, EventStreamError<reqwest::Error>>;

/// A server that may deliver to this machine, and gives a delivery up after its second try.
pub(super) fn server() -> &'static ServerInfo {
    shared("traffic", || {
        own_server().args(["--allow-private-network", "--webhook-retries", "50ms"])
    })
}

pub(super) async fn new_user() -> Api {
    server().user(&unique_name(), Plan::Free).await
}

/// Everything that a reader has heard of.
pub(super) struct Sums {
    messages: Pin<Box<dyn Stream<Item = Parsed> + Send>>,
    /// By the path to each number.
    numbers: BTreeMap<String, u64>,
    /// When the seconds were told of.
    pub(super) seconds: Vec<i64>,
}

impl Sums {
    pub(super) async fn open(api: &Api) -> Sums {
        let url = format!("{}/v1/users/me/traffic", server().url());
        let response = ask(&url, api.key(), None).await.expect("a server");
        assert_eq!(response.status(), 200);
        Sums {
            messages: Box::pin(response.bytes_stream().eventsource()),
            numbers: BTreeMap::new(),
            seconds: Vec::new(),
        }
    }

    /// What happened in the next second that anything happens in.
    pub(super) async fn next(&mut self) -> Value {
        let next = timeout(PATIENCE, self.messages.next()).await;
        let message = next.expect("traffic in time").expect("a stream");
        let message = message.expect("a message");
        assert_eq!(message.event, "traffic");
        assert_eq!(message.id, "");
        let second: Value = serde_json::from_str(&message.data).expect("JSON");
        self.add(&second);
        second
    }

    fn add(&mut self, second: &Value) {
        self.seconds.push(second["ts"].as_i64().expect("a time"));
        assert_eq!(second.get("cut"), None);
        let mut add = |path: String, number: &Value| {
            let number = number.as_u64().expect("a number");
            *self.numbers.entry(path).or_default() += number;
        };
        for kind in ["emitters", "webhooks"] {
            for (id, numbers) in second[kind].as_object().expect("an object") {
                for (name, number) in numbers.as_object().expect("numbers") {
                    add(format!("{id} {name}"), number);
                }
            }
        }
        for route in second["routes"].as_array().expect("a list") {
            let end = |name: &str| route[name].as_str().expect("an id").to_owned();
            let path = format!("{} -> {}", end("from"), end("to"));
            add(path, &route["count"]);
        }
    }

    /// Reads until these are all the numbers that are not zero.
    pub(super) async fn until(&mut self, expected: &[(String, u64)]) {
        let mut expected = expected.to_vec();
        expected.sort();
        while self.told() != expected {
            let over = |(path, sum): &(String, u64)| {
                self.numbers.get(path).is_some_and(|number| number > sum)
            };
            assert!(!expected.iter().any(over), "{:#?}", self.told());
            self.next().await;
        }
    }

    pub(super) fn told(&self) -> Vec<(String, u64)> {
        let some = self.numbers.iter().filter(|(_, number)| **number > 0);
        some.map(|(path, number)| (path.clone(), *number)).collect()
    }
}

/// What a source, a workflow or a webhook is to have counted.
pub(super) fn of(id: &str, name: &str, number: u64) -> (String, u64) {
    (format!("{id} {name}"), number)
}

/// What is to have gone from one to another.
pub(super) fn route(from: &str, to: &str, number: u64) -> (String, u64) {
    (format!("{from} -> {to}"), number)
}

/// A listener gets the default channel of an emitter.
pub(super) async fn subscribe(api: &Api, emitter: &str, listener: &str) {
    let body = json!({ "emitter_id": emitter, "listener_id": listener });
    api.post("/subscriptions", &body).await.expect(200);
}
