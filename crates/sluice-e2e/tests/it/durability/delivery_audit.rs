//! Compares what receivers got with what was committed.

use std::collections::{BTreeSet, HashMap};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use sluice_testkit::receiver::Delivery;

use super::{
    mailroom::{ENOUGH, Mailroom, PARTS, WELL, Webhook},
    traffic::Sent,
};
use crate::{
    ledger::{Ledger, StoredEvent},
    support::Deployed,
};

/// How old an event may be when it is delivered, in seconds: no test lasts longer.
const OLDEST: i64 = 300;

/// How much was delivered, once all was found right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Audit {
    /// Pairs of an event and a webhook.
    pub(super) deliveries: usize,
    /// Successes beyond the first, of all of these together.
    pub(super) repeated: usize,
    /// Requests, answered or not.
    pub(super) attempts: usize,
}

type Committed = HashMap<(String, String), StoredEvent>;

/// What a webhook got of one event.
struct Received {
    webhook_id: String,
    successes: usize,
}

/// Every committed event reached everybody who hears it, and nothing else reached anybody.
pub(super) fn audit(room: &Mailroom, sent: &[Sent]) -> Audit {
    let ledger = &room.stage.ledger;
    for (till, sent) in room.tills.iter().zip(sent) {
        accepted_is_committed_once(&ledger.events(&till.id), sent);
    }
    relayed_once(
        &ledger.events(&room.tills[0].id),
        &ledger.events(&room.relay.id),
    );

    let committed = committed(ledger, room.tills.iter().chain([&room.relay]));
    let requests = room.receiver.requests();
    let mut audit = Audit {
        deliveries: 0,
        repeated: 0,
        attempts: requests.len(),
    };
    let mut webhook_ids = BTreeSet::new();
    for webhook in &room.webhooks {
        let received = received(webhook, &requests, &committed);
        let heard = |(emitter, _): &&(String, String)| webhook.hears.contains(emitter);
        let mut lost = Vec::new();
        for event in committed.keys().filter(heard) {
            match received.get(event) {
                Some(Received { successes: 1.., .. }) => audit.deliveries += 1,
                _ => lost.push(event),
            }
        }
        assert!(lost.is_empty(), "{} never got {lost:?}", webhook.path);
        for Received {
            webhook_id,
            successes,
        } in received.into_values()
        {
            audit.repeated += successes.saturating_sub(1);
            let is_new = webhook_ids.insert(webhook_id.clone());
            assert!(is_new, "{webhook_id} stands for two deliveries");
        }
    }
    in_order(&requests);
    audit
}

/// Each accepted request is there once with all its parts, an unanswered one once or not at all.
fn accepted_is_committed_once(events: &[StoredEvent], sent: &Sent) {
    assert!(
        sent.accepted.len() > ENOUGH,
        "hardly any load: {}",
        sent.accepted.len()
    );
    let mut seen = BTreeSet::new();
    for event in events {
        assert_eq!(event.channel, "", "{}", event.data);
        let (n, part) = (event.number("n"), event.number("part"));
        assert!(seen.insert((n, part)), "{n} was committed twice");
        assert!(
            sent.accepted.contains(&n) || sent.unanswered.contains(&n),
            "{n} was never sent"
        );
    }
    let lost: Vec<_> = sent
        .accepted
        .iter()
        .filter(|n| (0..PARTS).any(|part| !seen.contains(&(**n, part))))
        .collect();
    assert!(lost.is_empty(), "accepted and lost: {lost:?}");
}

/// The relay ran exactly once for each event of the till it listens to.
fn relayed_once(till: &[StoredEvent], relay: &[StoredEvent]) {
    let names = |events: &[StoredEvent]| {
        let name = |event: &StoredEvent| (event.number("n"), event.number("part"));
        let mut names: Vec<_> = events.iter().map(name).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(relay), names(till), "what the relay heard");
}

fn committed<'a>(ledger: &Ledger, sources: impl Iterator<Item = &'a Deployed>) -> Committed {
    let mut committed = Committed::new();
    for source in sources {
        for event in ledger.events(&source.id) {
            let id = format!("{}-{}", event.id.0, event.id.1);
            committed.insert((source.id.clone(), id), event);
        }
    }
    committed
}

/// What a webhook got, by emitter and event; each request is right in itself, and keeps the id of the first try.
fn received(
    webhook: &Webhook,
    requests: &[Delivery],
    committed: &Committed,
) -> HashMap<(String, String), Received> {
    let mut received = HashMap::<(String, String), Received>::new();
    for request in requests
        .iter()
        .filter(|request| request.path == webhook.path)
    {
        let event = event_of(request);
        let Some(stored) = committed.get(&event) else {
            panic!("{event:?} was delivered and never committed");
        };
        assert!(webhook.hears.contains(&event.0), "{event:?} is not heard");
        check(webhook, request, stored);
        let webhook_id = header(request, "webhook-id");
        let entry = received.entry(event).or_insert_with(|| Received {
            webhook_id: webhook_id.to_owned(),
            successes: 0,
        });
        assert_eq!(entry.webhook_id, webhook_id, "the id changed");
        if matches!(request.answered, Some(200..300)) {
            entry.successes += 1;
        }
    }
    received
}

/// The request carries the event as it was committed, and its signature is the webhook's.
fn check(webhook: &Webhook, request: &Delivery, stored: &StoredEvent) {
    assert_eq!(request.method, "POST");
    let body: Value = request.json();
    assert_eq!(body, stored.data, "another body");
    let timestamp: i64 = header(request, "webhook-timestamp")
        .parse()
        .expect("seconds");
    let age = timestamp - stored.id.0 / 1000;
    assert!((0..OLDEST).contains(&age), "{timestamp} is not now");
    let signature = signature(&webhook.secret, request);
    let given = header(request, "webhook-signature");
    assert!(
        given.split(' ').any(|one| one == signature),
        "{given} is not {signature}"
    );
}

/// As Standard Webhooks defines it.
fn signature(secret: &str, request: &Delivery) -> String {
    let key = secret.strip_prefix("whsec_").expect("a webhook's secret");
    let key = BASE64_STANDARD.decode(key).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length will do");
    let (id, timestamp) = (
        header(request, "webhook-id"),
        header(request, "webhook-timestamp"),
    );
    mac.update(format!("{id}.{timestamp}.{}", request.body).as_bytes());
    let code = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    format!("v1,{code}")
}

/// The webhook that is always well gets the events of each source in their order; repeats come later.
fn in_order(requests: &[Delivery]) {
    let mut seen = BTreeSet::new();
    let mut newest = HashMap::<String, (i64, i64)>::new();
    for request in requests.iter().filter(|request| request.path == WELL) {
        let (emitter, event) = event_of(request);
        if !seen.insert((emitter.clone(), event.clone())) {
            continue;
        }
        let (ms, seq) = event.split_once('-').expect("an event id");
        let id = (
            ms.parse().expect("a number"),
            seq.parse().expect("a number"),
        );
        let before = newest.insert(emitter, id);
        assert!(before < Some(id), "{event} came after {before:?}");
    }
}

fn event_of(request: &Delivery) -> (String, String) {
    let text = |name| header(request, name).to_owned();
    (text("x-pd-emitter-id"), text("x-pd-event-id"))
}

fn header<'a>(request: &'a Delivery, name: &str) -> &'a str {
    let value = request.header(name);
    value.unwrap_or_else(|| panic!("no {name} in {:?}", request.headers))
}
