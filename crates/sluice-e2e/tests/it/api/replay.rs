//! `POST /sources/{id}/events/replay`: stored events go again to those who listen now.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, now_ms, wait_for};

use super::fixtures::{EMITTER, emit, emit_numbers, page, refused, text};
use crate::support::{Deployed, PATIENCE, deploy, new_user, new_user_on};

const LISTENER: &str = r#"module.exports = {
  name: "Listener", version: "0.0.1", run(event) { this.$emit({ heard: event }); },
};"#;

/// Emits what it hears, to itself among others, while it is less than 5.
const SELF_LISTENER: &str = r#"module.exports = {
  name: "Self", version: "0.0.1", run(event) { if (event.n < 5) this.$emit({ n: event.n + 1 }); },
};"#;

async fn subscribe(api: &Api, emitter: &str, event_name: &str, listener: &str) {
    let body = json!({ "emitter_id": emitter, "event_name": event_name, "listener_id": listener });
    api.post("/subscriptions", &body).await.expect(200);
}

/// A source with five events, the third of them in another channel, and one that has begun to listen since.
async fn heard_too_late(api: &Api) -> (Deployed, Vec<String>, Deployed) {
    let source = deploy(api, EMITTER).await;
    let emits = [1, 2, 3, 4, 5].map(|number| match number {
        3 => json!([3, { "name": "custom" }]),
        _ => json!([number]),
    });
    for one in emits {
        emit(&source, &[one]).await;
    }
    let mut ids: Vec<String> = source
        .summaries()
        .await
        .iter()
        .map(|row| text(&row["id"]))
        .collect();
    ids.reverse();
    let listener = deploy(api, LISTENER).await;
    subscribe(api, &source.id, "", &listener.id).await;
    subscribe(api, &source.id, "custom", &listener.id).await;
    (source, ids, listener)
}

async fn replay(source: &Deployed, body: &Value) -> Value {
    let path = source.path("/events/replay");
    source.api.post(&path, body).await.ok()["events"].clone()
}

async fn heard(listener: &Deployed, count: usize) -> Vec<Value> {
    let events = listener.events(count).await;
    events
        .into_iter()
        .map(|event| event["heard"].clone())
        .collect()
}

#[rstest]
#[tokio::test]
async fn all_events_of_the_default_and_custom_channels_go_oldest_first(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let (source, _, listener) = heard_too_late(&api).await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    assert_eq!(replay(&source, &json!({})).await, 5);
    assert_eq!(heard(&listener, 5).await, [1, 2, 3, 4, 5]);
    assert_eq!(source.summaries().await.len(), 5, "nothing is stored again");
}

#[tokio::test]
async fn one_event_or_a_range_is_chosen_by_ids_times_and_channel() {
    let api = new_user().await;
    let (source, ids, listener) = heard_too_late(&api).await;
    let time = |id: &str| id.split_once('-').expect("an id").0.to_owned();
    let mut expected: Vec<Value> = Vec::new();
    for (body, sent) in [
        (json!({ "event_id": ids[3] }), vec![4]),
        (json!({ "start_id": ids[3] }), vec![4, 5]),
        (json!({ "end_id": ids[0] }), vec![1]),
        (json!({ "start_id": ids[1], "end_id": ids[2] }), vec![2, 3]),
        (json!({ "since": time(&ids[4]) }), vec![5]),
        (
            json!({ "until": time(&ids[1]).parse::<u64>().expect("a time") }),
            vec![1, 2],
        ),
        (
            json!({ "start_id": ids[1], "until": time(&ids[3]), "event_name": "" }),
            vec![2, 4],
        ),
        (json!({ "event_name": "custom" }), vec![3]),
        (json!({ "event_name": "none" }), vec![]),
        (json!({ "since": "2100-01-01" }), vec![]),
    ] {
        assert_eq!(replay(&source, &body).await, sent.len(), "{body}");
        expected.extend(sent.iter().map(|number| json!(number)));
    }
    assert_eq!(heard(&listener, expected.len()).await, expected);
}

#[tokio::test]
async fn webhooks_get_a_new_delivery_with_an_id_of_its_own() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let webhook = api
        .post("/webhooks", &json!({ "url": "http://hooks.invalid/x" }))
        .await
        .ok();
    let webhook = text(&webhook["id"]);
    subscribe(&api, &source.id, "", &webhook).await;
    emit_numbers(&source, 1).await;
    assert_eq!(replay(&source, &json!({})).await, 1);
    let path = format!("/webhooks/{webhook}/deliveries?expand=event");
    let list = page(&api, &path).await;
    let [again, first] = &list.rows[..] else {
        panic!("{:?}", list.rows);
    };
    assert_ne!(again["id"], first["id"]);
    assert_eq!(again["event_id"], first["event_id"]);
    assert_eq!((&again["event"], &first["event"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn who_listens_is_decided_now() {
    let api = new_user().await;
    let (source, _, listener) = heard_too_late(&api).await;
    let query = format!(
        "emitter_id={}&listener_id={}&event_name=custom",
        source.id, listener.id
    );
    api.delete(&format!("/subscriptions?{query}")).await;
    assert_eq!(replay(&source, &json!({})).await, 5);
    assert_eq!(heard(&listener, 4).await, [1, 2, 4, 5]);
}

#[tokio::test]
async fn more_than_one_transaction_takes_is_sent_in_order() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 250).await;
    let listener = deploy(&api, LISTENER).await;
    subscribe(&api, &source.id, "", &listener.id).await;
    assert_eq!(replay(&source, &json!({})).await, 250);
    let path = listener.path("/event_summaries?limit=100");
    let newest = wait_for(PATIENCE, "250 events", async || {
        let list = page(&api, &path).await;
        (list.info["total_count"] == 250).then(|| list.each("event"))
    })
    .await;
    let expected: Vec<Value> = (151..=250).rev().map(|n| json!({ "heard": n })).collect();
    assert_eq!(newest, expected);
}

#[tokio::test]
async fn a_source_that_listens_to_itself_is_not_replayed_for_ever() {
    let api = new_user().await;
    let source = deploy(&api, SELF_LISTENER).await;
    source.run(json!({ "n": 4 })).await;
    assert_eq!(source.events(1).await, [json!({ "n": 5 })]);
    source.run(json!({ "n": 0 })).await;
    source.events(2).await;
    subscribe(&api, &source.id, "", &source.id).await;
    assert_eq!(replay(&source, &json!({})).await, 2);
    // 1 is heard again, which makes 2, 3, 4 and 5; 5 makes nothing.
    assert_eq!(source.events(6).await[5], json!({ "n": 5 }));
}

#[tokio::test]
async fn an_event_that_waits_for_its_time_is_not_sent_before_it() {
    let api = new_user().await;
    let (source, ids, listener) = heard_too_late(&api).await;
    let in_an_hour = now_ms() + 3_600_000;
    let later = json!(["later", { "delivery_ts": in_an_hour }]);
    emit(&source, &[later]).await;
    let held = text(&source.summaries().await[0]["id"]);
    assert_eq!(replay(&source, &json!({ "start_id": ids[4] })).await, 1);
    let path = source.path("/events/replay");
    refused(api.post(&path, &json!({ "event_id": held })).await, 409);
    assert_eq!(heard(&listener, 1).await, [5]);
}

#[tokio::test]
async fn what_cannot_be_replayed_is_refused() {
    let api = new_user().await;
    let (source, ids, _) = heard_too_late(&api).await;
    let path = source.path("/events/replay");
    for (body, status) in [
        (json!({ "event_id": "1-0" }), 404),
        (json!({ "event_id": "x" }), 400),
        (json!({ "event_id": ids[0], "start_id": ids[0] }), 400),
        (json!({ "start_id": ids[1], "end_id": ids[0] }), 400),
        (json!({ "start_id": "1" }), 400),
        (json!({ "since": "soon" }), 400),
        (json!({ "since": 2, "until": 1 }), 400),
        (json!({ "event_name": "$logs" }), 400),
        (json!({ "event_name": "a\u{0}" }), 400),
    ] {
        refused(api.post(&path, &body).await, status);
    }
    let stranger = new_user().await;
    refused(stranger.post(&path, &json!({})).await, 404);
    refused(
        stranger.post(&path, &json!({ "event_id": ids[0] })).await,
        404,
    );
}
