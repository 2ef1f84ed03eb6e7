//! `GET /deliveries`, over all webhooks of a user, and `expand=deliveries`, which tells how each is doing.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::{
    fixtures::server,
    history_fixtures::{Line, text},
};
use crate::{server::User, support::PATIENCE};

/// A user of a server of its own that tries once, so that failures do not add up to a pause.
async fn new_user() -> User {
    server(&[]).await.user().await
}

async fn list(api: &User, query: &str) -> (Vec<Value>, Value) {
    let page = api.get(&format!("/deliveries?{query}")).await.expect(200);
    let rows = page["data"].as_array().expect("a list").clone();
    (rows, page["page_info"].clone())
}

/// One source and two webhooks: six events delivered to the first, three of them failed for the second.
async fn two_webhooks(api: &User) -> [Line; 2] {
    let good = Line::new(api, 200).await;
    good.emit(&[json!(1), json!(2), json!(3)]).await;
    good.deliveries("delivered", 3).await;
    let bad = Line::from(good.source.clone(), 500).await;
    good.emit(&[json!(4), json!(5), json!(6)]).await;
    good.deliveries("delivered", 6).await;
    bad.deliveries("failed", 3).await;
    [good, bad]
}

#[tokio::test]
async fn deliveries_of_all_webhooks_stand_in_one_list_newest_first() {
    let api = new_user().await;
    let [good, bad] = two_webhooks(&api).await;
    let (all, info) = list(&api, "limit=100&expand=event").await;
    assert_eq!(info["total_count"], 9);
    let events: Vec<_> = all.iter().map(|row| row["event"].clone()).collect();
    assert_eq!(events, [6, 6, 5, 5, 4, 4, 3, 2, 1].map(|n| json!(n)));
    let of = |line: &Line| {
        let mine = |row: &&Value| row["webhook_id"] == line.webhook["id"];
        all.iter().filter(mine).count()
    };
    assert_eq!((of(&good), of(&bad)), (6, 3));

    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let (rows, info) = list(&api, &format!("expand=event&limit=2{after}")).await;
        assert_eq!(info["total_count"], 9);
        if rows.is_empty() {
            break;
        }
        seen.extend(rows);
        after = format!("&after={}", text(&info["end_cursor"]));
    }
    assert_eq!(seen, all);
    let (_, last) = list(&api, "limit=100").await;
    let before = format!("limit=2&expand=event&before={}", text(&last["end_cursor"]));
    assert_eq!(list(&api, &before).await.0, all[6..8]);

    let one = format!("limit=100&webhook_id={}", text(&bad.webhook["id"]));
    let (rows, info) = list(&api, &one).await;
    assert_eq!((rows.len(), &info["total_count"]), (3, &json!(3)));
    let same = api.get(&bad.path("/deliveries?limit=100")).await.ok();
    assert_eq!(same, json!(rows));
}

#[tokio::test]
async fn the_list_of_all_is_narrowed_by_state_and_time() {
    let api = new_user().await;
    let [good, _] = two_webhooks(&api).await;
    let count = async |query: &str| {
        let (rows, info) = list(&api, &format!("limit=100&{query}")).await;
        assert_eq!(info["total_count"], rows.len());
        rows.len()
    };
    assert_eq!(count("state=delivered").await, 6);
    assert_eq!(count("state=failed").await, 3);
    assert_eq!(count("state=pending").await, 0);
    let hook = text(&good.webhook["id"]);
    assert_eq!(count(&format!("state=failed&webhook_id={hook}")).await, 0);
    assert_eq!(count("since=2026-01-01T00:00:00Z").await, 9);
    assert_eq!(count("since=2100-01-01").await, 0);
    assert_eq!(count("until=2020-01-01").await, 0);
    for bad in [
        "state=x",
        "since=x",
        "until=",
        "expand=all",
        "limit=0",
        "after=x",
    ] {
        api.get(&format!("/deliveries?{bad}")).await.expect(400);
    }
}

#[tokio::test]
async fn nobody_sees_deliveries_of_others() {
    let api = new_user().await;
    let [good, _] = two_webhooks(&api).await;
    let stranger = api.server.user().await;
    let (rows, info) = list(&stranger, "").await;
    assert_eq!((rows.len(), &info["total_count"]), (0, &json!(0)));
    let theirs = text(&good.webhook["id"]);
    for id in [theirs, "wh_unknown", "nonsense", "%00", ""] {
        let path = format!("/deliveries?webhook_id={id}");
        let refusal = stranger.get(&path).await.expect(404);
        assert_eq!(refusal["error"], "webhook not found");
    }
    let theirs = good.path("?expand=deliveries");
    stranger.get(&theirs).await.expect(404);
}

#[tokio::test]
async fn webhooks_tell_how_their_deliveries_are_doing_when_asked() {
    let api = new_user().await;
    let [good, bad] = two_webhooks(&api).await;
    let path = good.path("?expand=deliveries");
    let tally = wait_for(PATIENCE, "a tally", async || {
        let webhook = api.get(&path).await.ok();
        (webhook["deliveries"]["waiting"] == 0).then(|| webhook["deliveries"].clone())
    })
    .await;
    let (delivered, _) = list(&api, "state=delivered&limit=100").await;
    let last = delivered
        .iter()
        .map(|row| row["attempts"][0]["at"].as_i64());
    let expected = json!({ "waiting": 0, "failed": 0, "delivered_at": last.max() });
    assert_eq!(tally, expected);
    let failing = json!({ "waiting": 0, "failed": 3, "delivered_at": null });
    let shown = api.get(&bad.path("?expand=deliveries")).await.ok();
    assert_eq!(shown["deliveries"], failing);

    let page = "/users/me/webhooks?limit=100";
    let rows = api.get(&format!("{page}&expand=deliveries")).await.ok();
    assert_eq!(rows[0]["id"], bad.webhook["id"]);
    assert_eq!(rows[0]["deliveries"], failing);
    assert_eq!(rows[1]["deliveries"], expected);
    let plain = api.get(page).await.ok();
    assert!(plain[0].get("deliveries").is_none());
    let plain = api.get(&good.path("")).await.ok();
    assert!(plain.get("deliveries").is_none());
    api.get(&good.path("?expand=all")).await.expect(400);
    api.get(&format!("{page}&expand=")).await.expect(400);
}

#[tokio::test]
async fn what_waits_for_a_webhook_is_counted() {
    let api = new_user().await;
    let line = Line::new(&api, 503).await;
    line.emit(&[json!(1), json!(2)]).await;
    let path = line.path("?expand=deliveries");
    wait_for(PATIENCE, "both to be given up", async || {
        let tally = api.get(&path).await.ok()["deliveries"].clone();
        let sum = tally["waiting"].as_u64()? + tally["failed"].as_u64()?;
        assert!(sum <= 2, "{tally}");
        (tally["failed"] == 2).then_some(())
    })
    .await;
}
