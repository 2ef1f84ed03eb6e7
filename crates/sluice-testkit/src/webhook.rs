//! A webhook of a server under test, and what became of its deliveries.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    Api,
    receiver::{Delivery, Receiver},
    wait_for,
};

const PATIENCE: Duration = Duration::from_mins(1);

/// A webhook, with the key of its owner.
pub struct Webhook {
    pub api: Api,
    pub id: String,
    pub secret: String,
}

impl Webhook {
    /// Creates a webhook that gets the events of a channel of `emitter_id`.
    pub async fn create(api: &Api, emitter_id: &str, body: &Value, event_name: &str) -> Webhook {
        let created = api.post("/webhooks", body).await.ok();
        let text = |field: &str| created[field].as_str().expect("text").to_owned();
        let webhook = Webhook {
            api: api.clone(),
            id: text("id"),
            secret: text("signing_secret"),
        };
        let subscription = json!({
            "emitter_id": emitter_id, "listener_id": webhook.id, "event_name": event_name,
        });
        api.post("/subscriptions", &subscription).await.ok();
        webhook
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/webhooks/{}{rest}", self.id)
    }

    pub async fn update(&self, change: Value) {
        self.api.put(&self.path(""), &change).await.ok();
    }

    /// Deliveries as they stand, oldest first.
    pub async fn deliveries(&self) -> Vec<Value> {
        let page = self.api.get(&self.path("/deliveries?limit=100")).await;
        let mut rows = page.expect(200)["data"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        rows.reverse();
        rows
    }

    /// Waits until the deliveries are in these states, oldest first.
    pub async fn wait_for(&self, states: &[&str]) -> Vec<Value> {
        self.wait_until(&format!("deliveries to be {states:?}"), |rows| {
            let found: Vec<_> = rows.iter().map(|row| row["state"].as_str()).collect();
            found.iter().copied().eq(states.iter().map(|s| Some(*s)))
        })
        .await
    }

    pub async fn wait_until(&self, what: &str, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        wait_for(PATIENCE, what, async || {
            let rows = self.deliveries().await;
            holds(&rows).then_some(rows)
        })
        .await
    }
}

/// A field of all attempts of a delivery.
pub fn attempts<'a>(delivery: &'a Value, field: &str) -> Vec<&'a Value> {
    let attempts = delivery["attempts"].as_array().expect("attempts");
    attempts.iter().map(|attempt| &attempt[field]).collect()
}

/// The bodies that came to a path, in order.
pub fn bodies(receiver: &Receiver, path: &str) -> Vec<Value> {
    let requests = receiver.requests();
    let to_path = requests.iter().filter(|request| request.path == path);
    to_path.map(Delivery::json).collect()
}
