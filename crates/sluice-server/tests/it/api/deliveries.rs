//! `/deliveries`: what there is to say when nothing was delivered. What became of real deliveries is in `delivery/history.rs`.

use serde_json::json;
use sluice_testkit::Method;

use super::{
    fixtures::{page, refused},
    subscriptions::webhook,
};
use crate::support::new_user;

#[tokio::test]
async fn a_webhook_without_deliveries_has_an_empty_list() {
    let api = new_user().await;
    let path = format!("/webhooks/{}/deliveries", webhook(&api).await);
    for query in [
        "",
        "?state=pending",
        "?state=delivered&limit=100",
        "?state=failed&expand=event",
        "?since=0&until=2026-01-31T12:00:00Z",
        "?since=2026-01-31&until=1769860800000",
    ] {
        let list = page(&api, &format!("{path}{query}")).await;
        assert!(list.rows.is_empty());
        let expected =
            json!({ "total_count": 0, "count": 0, "start_cursor": null, "end_cursor": null });
        assert_eq!(list.info, expected);
    }
}

#[tokio::test]
async fn parameters_that_make_no_sense_are_400() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    for query in [
        "state=unknown",
        "state=",
        "state=Failed",
        "since=yesterday",
        "since=",
        "until=-1",
        "until=2026-13-01",
        "until=1.5",
        "expand=all",
        "limit=0",
        "after=nonsense",
        "after=%00",
        "since=%00",
    ] {
        let path = format!("/webhooks/{hook}/deliveries?{query}");
        refused(api.get(&path).await, 400);
    }
    for body in [
        json!({ "state": "pending" }),
        json!({ "state": "unknown" }),
        json!({ "state": 5 }),
        json!({ "since": "yesterday" }),
        json!({ "since": 1.5 }),
        json!({ "until": {} }),
        json!({ "until": -1 }),
    ] {
        for path in ["/deliveries/replay", &format!("/webhooks/{hook}/replay")] {
            refused(api.post(path, &body).await, 400);
        }
    }
}

#[tokio::test]
async fn replaying_what_is_not_there_replays_nothing() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    for path in ["/deliveries/replay", &format!("/webhooks/{hook}/replay")] {
        for body in [
            json!({}),
            json!({ "state": "failed", "since": 0, "until": "2026-01-31T12:00:00Z" }),
            json!({ "state": "delivered", "since": "5" }),
            json!({ "state": "all", "since": null }),
        ] {
            assert_eq!(api.post(path, &body).await.ok(), json!({ "replayed": 0 }));
        }
        let query = format!("{path}?state=all&since=5&until=2026-01-31");
        let answer = api.request(Method::POST, &query).send().await;
        assert_eq!(answer.ok(), json!({ "replayed": 0 }));
    }
}

#[tokio::test]
async fn an_inactive_webhook_is_not_replayed_to() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let path = format!("/webhooks/{hook}");
    api.put(&path, &json!({ "active": false }))
        .await
        .expect(200);
    let error = refused(api.post(&format!("{path}/replay"), &json!({})).await, 409);
    assert!(error.contains("inactive"), "{error}");
    let all = api.post("/deliveries/replay", &json!({})).await.ok();
    assert_eq!(all["replayed"], 0);
}

#[tokio::test]
async fn unknown_deliveries_are_404() {
    let api = new_user().await;
    for id in [
        "dlv_unknown",
        "dlv_",
        "wh_abc",
        "nonsense",
        "%00",
        "dlv_%00",
    ] {
        let path = format!("/deliveries/{id}");
        assert_eq!(refused(api.get(&path).await, 404), "delivery not found");
        let replay = api.post(&format!("{path}/replay"), &json!({})).await;
        assert_eq!(refused(replay, 404), "delivery not found");
    }
}
