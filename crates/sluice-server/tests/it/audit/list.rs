//! `GET /audit`: who may read which entries, filters and pages.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::log::{server, username};
use crate::api::fixtures::{IDLE, refused};

async fn actions(api: &Api, query: &str) -> Vec<String> {
    let page = api.get(&format!("/audit{query}")).await.expect(200);
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| row["action"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn users_read_their_own_account_and_operators_read_all() {
    let server = server().await;
    let (operator, one, other) = (server.operator(), server.user().await, server.user().await);
    let hook = json!({ "url": "https://example.com", "name": "mine" });
    one.post("/webhooks", &hook).await.ok();
    let own = ["webhook.create", "user.create"];
    assert_eq!(actions(&one, "").await, own);
    assert_eq!(actions(&one, "?scope=own").await, own);
    assert_eq!(actions(&other, "").await, ["user.create"]);
    let id = one.get("/users/me").await.ok()["id"].clone();
    let id = id.as_str().unwrap();
    assert_eq!(actions(&one, &format!("?user={id}")).await, own);
    assert_eq!(actions(&operator, &format!("?user={id}")).await, own);
    refused(other.get(&format!("/audit?user={id}")).await, 404);
    refused(other.get("/audit?scope=all").await, 400);
    refused(operator.get("/audit?scope=some").await, 400);
    refused(operator.get("/audit?user=x").await, 404);
    refused(
        operator.get(&format!("/audit?scope=all&user={id}")).await,
        400,
    );
    refused(operator.get("/audit?q=%00").await, 400);
    refused(operator.get("/audit?since=yesterday").await, 400);
    let all = actions(&operator, "?scope=all&limit=100").await;
    let expected = [
        "webhook.create",
        "user.create",
        "user.create",
        "user.create",
    ];
    assert_eq!(all, expected);
}

#[tokio::test]
async fn entries_tell_whether_targets_and_accounts_still_exist() {
    let server = server().await;
    let (operator, user) = (server.operator(), server.user().await);
    let name = username(&user).await;
    let hook = json!({ "url": "https://example.com" });
    let hook = user.post("/webhooks", &hook).await.ok();
    let component = json!({ "component_code": IDLE });
    user.post("/components", &component).await.ok();
    let rows = async |path: &str| operator.get(path).await.expect(200)["data"].clone();
    let me = user.get("/users/me").await.ok()["id"].clone();
    let path = format!("/audit?user={}", me.as_str().unwrap());
    let listed = rows(&path).await;
    let existing = |rows: &Value| {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["target"]["exists"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(existing(&listed), [json!(null), json!(true), json!(true)]);
    assert_eq!(listed[0]["username"], name);
    let hook = hook["id"].as_str().unwrap();
    user.delete(&format!("/webhooks/{hook}")).await.expect(204);
    let user_path = format!("/users/{}", me.as_str().unwrap());
    operator.delete(&user_path).await.expect(204);
    let listed = rows(&path).await;
    assert_eq!(listed[0]["action"], "user.delete");
    assert_eq!(listed[0]["username"], Value::Null);
    let expected = [
        json!(false),
        json!(false),
        json!(null),
        json!(false),
        json!(false),
    ];
    assert_eq!(existing(&listed), expected);
}

#[tokio::test]
async fn entries_are_filtered_and_paged() {
    let server = server().await;
    let user = server.user().await;
    let name = username(&user).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let hook =
            json!({ "url": "https://example.com/topsecret", "name": format!("hook {number}") });
        let hook = user.post("/webhooks", &hook).await.ok();
        ids.push(hook["id"].as_str().unwrap().to_owned());
    }
    user.put(
        &format!("/webhooks/{}", ids[3]),
        &json!({ "active": false }),
    )
    .await
    .ok();
    let target = format!("?target={}", ids[3]);
    assert_eq!(
        actions(&user, &target).await,
        ["webhook.deactivate", "webhook.create"]
    );
    assert_eq!(actions(&user, "?q=HOOK%202").await, ["webhook.create"]);
    assert_eq!(
        actions(&user, "?target=hook%202&action=webhook").await,
        ["webhook.create"]
    );
    assert_eq!(
        actions(&user, "?action=webhook.de").await,
        ["webhook.deactivate"]
    );
    assert_eq!(actions(&user, "?actor=operator").await, ["user.create"]);
    assert_eq!(
        actions(&user, &format!("?actor={name}&limit=100"))
            .await
            .len(),
        6
    );
    assert_eq!(actions(&user, "?q=topsecret").await, Vec::<String>::new());

    let whole = user.get("/audit?limit=100").await.expect(200);
    let rows = whole["data"].as_array().unwrap();
    let mut paged: Vec<Value> = Vec::new();
    let mut path = "/audit?limit=3".to_owned();
    while paged.len() < rows.len() {
        let page = user.get(&path).await.expect(200);
        assert_eq!(page["page_info"]["total_count"], 7);
        paged.extend(page["data"].as_array().unwrap().iter().cloned());
        let cursor = page["page_info"]["end_cursor"].as_str().unwrap();
        path = format!("/audit?limit=3&after={cursor}");
    }
    assert_eq!(&paged, rows);
    let at = rows[2]["at"].as_i64().unwrap();
    assert_eq!(actions(&user, &format!("?since={at}")).await.len(), 3);
    assert_eq!(
        actions(&user, &format!("?until={at}&limit=100"))
            .await
            .len(),
        5
    );
}
