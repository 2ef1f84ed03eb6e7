//! `GET /webhooks/{id}/deliveries` and `GET /deliveries/{id}`: what became of an event that a webhook was to get.

use serde_json::{Value, json};

use super::history_fixtures::{Line, TRIES, new_user, text};
use crate::server::User;

async fn list(api: &User, path: &str) -> (Vec<Value>, Value) {
    let page = api.get(path).await.expect(200);
    let rows = page["data"].as_array().expect("a list").clone();
    (rows, page["page_info"].clone())
}

#[tokio::test]
async fn a_delivery_tells_what_was_sent_and_what_came_back() {
    let line = Line::new(&new_user().await, 200).await;
    let emits = json!({ "emits": [[{ "n": 1.5 }, { "name": "custom" }]] });
    line.source.run(emits).await;
    let delivery = line.deliveries("delivered", 1).await.remove(0);
    let fields: Vec<_> = delivery.as_object().expect("an object").keys().collect();
    assert_eq!(
        fields,
        [
            "id",
            "webhook_id",
            "emitter_id",
            "event_id",
            "event_name",
            "summary",
            "state",
            "attempts",
            "next_attempt_at",
            "created_at",
        ]
    );
    let sent = line.receiver.wait_for(1).await.remove(0);
    assert_eq!(sent.header("webhook-id"), Some(text(&delivery["id"])));
    assert_eq!(
        sent.header("x-pd-event-id"),
        Some(text(&delivery["event_id"]))
    );
    assert_eq!(delivery["webhook_id"], line.webhook["id"]);
    assert_eq!(delivery["emitter_id"], *line.source.id);
    assert_eq!(delivery["event_id"], line.source.summaries().await[0]["id"]);
    assert_eq!(delivery["event_name"], "custom");
    assert_eq!(delivery["summary"], "{\"n\":1.5}");
    assert_eq!(delivery["next_attempt_at"], Value::Null);
    let created = delivery["created_at"].as_i64().expect("epoch seconds");

    let attempt = &delivery["attempts"][0];
    let at = attempt["at"].as_i64().expect("epoch milliseconds");
    assert!((created * 1000..created * 1000 + 60_000).contains(&at));
    assert!(attempt["latency_ms"].is_u64());
    let told = json!([{
        "at": attempt["at"], "status": 200, "latency_ms": attempt["latency_ms"],
        "response": "this is the answer", "error": null,
    }]);
    assert_eq!(delivery["attempts"], told);

    let mut whole = delivery.clone();
    whole["event"] = json!({ "n": 1.5 });
    let path = format!("/deliveries/{}", text(&delivery["id"]));
    assert_eq!(line.api.get(&path).await.ok(), whole);
    let (expanded, _) = list(&line.api, &line.path("/deliveries?expand=event")).await;
    assert_eq!(expanded, [whole]);
    let narrow = format!("{path}?include=state,event");
    let expected = json!({ "state": "delivered", "event": { "n": 1.5 } });
    assert_eq!(line.api.get(&narrow).await.ok(), expected);
}

#[tokio::test]
async fn every_try_of_a_delivery_that_is_given_up_is_told() {
    let (line, delivery) = Line::failed(&new_user().await).await;
    let attempts = delivery["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), TRIES);
    for attempt in attempts {
        assert_eq!(attempt["status"], 500);
        assert_eq!(attempt["response"], "this is the answer");
        assert!(text(&attempt["error"]).contains("500"), "{attempt}");
    }
    assert!(attempts[0]["at"].as_i64() < attempts[1]["at"].as_i64());
    assert_eq!(delivery["next_attempt_at"], Value::Null);
    assert_eq!(line.receiver.count(), TRIES);
    let ids: Vec<_> = line.receiver.requests();
    assert!(
        ids.iter()
            .all(|sent| sent.header("webhook-id") == Some(text(&delivery["id"])))
    );
}

#[tokio::test]
async fn deliveries_are_listed_by_state_and_time_newest_first_in_pages() {
    let line = Line::new(&new_user().await, 200).await;
    let values: Vec<_> = (1..=12).map(|number| json!(number)).collect();
    line.emit(&values).await;
    line.deliveries("delivered", 12).await;
    line.answer(500);
    line.emit(&[json!(13)]).await;
    let failed = line.deliveries("failed", 1).await;

    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let path = line.path(&format!("/deliveries?expand=event&limit=5{after}"));
        let (rows, info) = list(&line.api, &path).await;
        assert_eq!(info["total_count"], 13);
        if rows.is_empty() {
            break;
        }
        seen.extend(rows.iter().map(|row| row["event"].clone()));
        after = format!("&after={}", text(&info["end_cursor"]));
    }
    let newest_first: Vec<_> = (1..=13).rev().map(|number| json!(number)).collect();
    assert_eq!(seen, newest_first);

    let count = async |query: &str| {
        let (rows, info) = list(
            &line.api,
            &line.path(&format!("/deliveries?limit=1&{query}")),
        )
        .await;
        assert_eq!(rows.is_empty(), info["total_count"] == 0);
        info["total_count"].as_u64().expect("a number")
    };
    assert_eq!(count("state=delivered").await, 12);
    assert_eq!(count("state=failed").await, 1);
    assert_eq!(count("state=pending").await, 0);
    let first_try = failed[0]["attempts"][0]["at"].as_i64().expect("a time");
    assert_eq!(count(&format!("until={first_try}")).await, 13);
    assert_eq!(count("since=2026-01-01T00:00:00Z").await, 13);
    assert_eq!(count("since=2100-01-01").await, 0);
    assert_eq!(count("until=2020-01-01T00:00:00%2B02:00").await, 0);
}

#[tokio::test]
async fn deliveries_of_others_are_404_and_those_of_a_deleted_webhook_are_gone() {
    let (line, delivery) = Line::failed(&new_user().await).await;
    let stranger = line.api.server.user().await;
    let one = format!("/deliveries/{}", text(&delivery["id"]));
    let replay = format!("{one}/replay");
    stranger.get(&one).await.expect(404);
    stranger.get(&line.path("/deliveries")).await.expect(404);
    stranger.post(&replay, &json!({})).await.expect(404);
    let all = stranger.post("/deliveries/replay", &json!({})).await.ok();
    assert_eq!(all["replayed"], 0);
    assert_eq!(line.receiver.count(), TRIES);

    line.api.delete(&line.path("")).await.expect(204);
    line.api.get(&one).await.expect(404);
    line.api.post(&replay, &json!({})).await.expect(404);
}
