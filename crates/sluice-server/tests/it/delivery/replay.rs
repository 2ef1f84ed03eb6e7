//! Replaying deliveries: one, those of a webhook, those of all webhooks of a user.

use serde_json::{Value, json};

use super::{
    fixtures::{SOON, custom_server},
    history_fixtures::{Line, TRIES, new_user, text},
};

#[tokio::test]
async fn a_failed_delivery_goes_out_again_under_the_same_id() {
    let (line, failed) = Line::failed(&new_user().await).await;
    line.answer(200);
    let replayed = line.replay(&failed).await.ok();
    assert_eq!(replayed["id"], failed["id"]);
    assert_eq!(replayed["state"], "delivered");
    assert_eq!(replayed["attempt"]["status"], 200);
    assert!(replayed["attempt"]["latency_ms"].is_u64());
    assert_eq!(replayed["next_attempt_at"], json!(null));
    assert_eq!(replayed["event"], json!({ "n": 1 }));

    let sent = line.receiver.wait_for(TRIES + 1).await;
    let last = &sent[TRIES];
    assert_eq!(last.header("webhook-id"), Some(text(&failed["id"])));
    assert_eq!(last.json(), json!({ "n": 1 }));
    let delivered = line.deliveries("delivered", 1).await.remove(0);
    let attempts = delivered["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), TRIES + 1);
    assert_eq!(attempts[TRIES]["status"], 200);
}

#[tokio::test]
async fn a_replayed_delivery_has_all_its_retries_again() {
    let (line, failed) = Line::failed(&new_user().await).await;
    line.replay(&failed).await.expect(200);
    line.receiver.wait_for(2 * TRIES).await;
    let again = line.deliveries("failed", 1).await.remove(0);
    let attempts = again["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), 2 * TRIES);
}

#[tokio::test]
async fn what_was_delivered_can_be_replayed_too() {
    let line = Line::new(&new_user().await, 200).await;
    line.emit(&[json!("again")]).await;
    let delivered = line.deliveries("delivered", 1).await.remove(0);
    line.replay(&delivered).await.expect(200);
    let sent = line.receiver.wait_for(2).await;
    assert_eq!(sent[1].header("webhook-id"), sent[0].header("webhook-id"));
    assert_eq!(sent[1].body, sent[0].body);
}

#[tokio::test]
async fn those_of_a_webhook_that_failed_are_replayed_in_their_order() {
    let line = Line::new(&new_user().await, 200).await;
    line.emit(&[json!("fine")]).await;
    line.deliveries("delivered", 1).await;
    line.answer(500);
    line.emit(&[json!(1), json!(2)]).await;
    line.deliveries("failed", 2).await;
    line.answer(200);
    let before = line.receiver.count();
    let replay = async |body: Value| {
        let answer = line.api.post(&line.path("/replay"), &body).await.ok();
        answer["replayed"].as_u64().expect("a number")
    };
    assert_eq!(replay(json!({ "since": "2100-01-01" })).await, 0);
    assert_eq!(replay(json!({ "until": 1_000 })).await, 0);
    assert_eq!(
        replay(json!({ "since": 1_000, "until": "2100-01-01T00:00:00Z" })).await,
        2
    );
    let sent = line.receiver.wait_for(before + 2).await;
    let bodies: Vec<_> = sent[before..].iter().map(|sent| sent.json()).collect();
    assert_eq!(bodies, [json!(1), json!(2)]);
    line.deliveries("delivered", 3).await;

    assert_eq!(replay(json!({})).await, 0);
    assert_eq!(replay(json!({ "state": "all" })).await, 3);
    line.receiver.wait_for(before + 5).await;
    line.deliveries("delivered", 3).await;
    assert_eq!(replay(json!({ "state": "delivered" })).await, 3);
}

#[tokio::test]
async fn those_of_all_active_webhooks_are_replayed_at_once() {
    let api = new_user().await;
    let (first, _) = Line::failed(&api).await;
    let (second, _) = Line::failed(&api).await;
    let (asleep, _) = Line::failed(&api).await;
    let off = json!({ "active": false });
    api.put(&asleep.path(""), &off).await.expect(200);
    for line in [&first, &second, &asleep] {
        line.answer(200);
    }
    let replayed = api.post("/deliveries/replay", &json!({})).await.ok();
    assert_eq!(replayed, json!({ "replayed": 2 }));
    first.deliveries("delivered", 1).await;
    second.deliveries("delivered", 1).await;
    asleep.deliveries("failed", 1).await;
    assert_eq!(asleep.receiver.count(), TRIES);
}

#[tokio::test]
async fn more_than_one_batch_is_replayed_whole() {
    const MANY: usize = 1_100;
    let server = custom_server(&[SOON], |settings| {
        settings.delivery_retention = 2 * MANY as u64;
    })
    .await;
    let line = Line::new(&server.user().await, 200).await;
    let values: Vec<_> = (0..MANY).map(|number| json!(number)).collect();
    line.emit(&values).await;
    line.receiver.wait_for(MANY).await;
    let path = line.path("/deliveries?limit=1&state=delivered");
    sluice_testkit::wait_for(crate::support::PATIENCE, "all to be recorded", async || {
        let page = line.api.get(&path).await.expect(200);
        (page["page_info"]["total_count"] == MANY).then_some(())
    })
    .await;
    let body = json!({ "state": "all" });
    let answer = line.api.post(&line.path("/replay"), &body).await.ok();
    assert_eq!(answer["replayed"], MANY);
    let sent = line.receiver.wait_for(2 * MANY).await;
    let again: Vec<_> = sent[MANY..].iter().map(|sent| sent.json()).collect();
    assert_eq!(again, values);
    line.api.delete(&line.path("")).await.expect(204);
}

#[tokio::test]
async fn an_inactive_webhook_is_refused_in_words_and_goes_on_when_it_is_active_again() {
    let (line, failed) = Line::failed(&new_user().await).await;
    let set = async |active: bool| {
        let body = json!({ "active": active });
        line.api.put(&line.path(""), &body).await.expect(200)
    };
    set(false).await;
    let refusal = line.replay(&failed).await.expect(409);
    assert!(text(&refusal["error"]).contains("inactive"), "{refusal}");
    line.api
        .post(&line.path("/replay"), &json!({}))
        .await
        .expect(409);
    // What is emitted now is not kept for it.
    line.emit(&[json!("missed")]).await;
    line.source.events(2).await;
    line.answer(200);
    set(true).await;
    line.replay(&failed).await.expect(200);
    line.deliveries("delivered", 1).await;
    assert_eq!(line.receiver.count(), TRIES + 1);
}

#[tokio::test]
async fn what_waits_for_an_inactive_webhook_goes_out_when_it_is_active_again() {
    let line = Line::new(&new_user().await, 410).await;
    line.emit(&[json!("gone"), json!("waits")]).await;
    line.deliveries("failed", 1).await;
    let webhook = line.api.get(&line.path("")).await.ok();
    assert_eq!(webhook["active"], false);
    let waiting = line.deliveries("pending", 1).await.remove(0);
    assert_eq!(waiting["attempts"], json!([]));
    line.answer(200);
    let body = json!({ "active": true });
    line.api.put(&line.path(""), &body).await.expect(200);
    let delivered = line.deliveries("delivered", 1).await.remove(0);
    assert_eq!(delivered["id"], waiting["id"]);
}
