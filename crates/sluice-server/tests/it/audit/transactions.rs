//! An entry and its change are written together or not at all.

use serde_json::json;

use super::log::{entries, server};
use crate::{
    api::fixtures::{IDLE, refused},
    server::TestServer,
};

#[tokio::test]
async fn a_change_that_fails_leaves_no_entry() {
    let server = server().await;
    let (operator, user) = (server.operator(), server.user().await);
    let name = super::log::username(&user).await;
    let hook = json!({ "url": "https://example.com" });
    let webhook = user.post("/webhooks", &hook).await.ok();
    let before = entries(&server).await;
    // The transaction finds the name taken after it began.
    let taken = json!({ "username": name, "email": "a@b.c" });
    refused(operator.post("/users", &taken).await, 409);
    refused(user.post("/signup", &taken).await, 409);
    refused(user.delete("/webhooks/wh_unknown").await, 404);
    refused(user.delete("/data_stores/unknown").await, 404);
    refused(user.delete("/components/published/unknown").await, 404);
    let ends = json!({ "emitter_id": "dc_unknown", "listener_id": webhook["id"] });
    refused(user.post("/subscriptions", &ends).await, 404);
    let broken = IDLE.replace(
        "\"run\"",
        "\"hooks\": { \"deploy\": { \"fail\": \"no\" } }, \"run\"",
    );
    let broken = json!({ "component_code": broken });
    assert!(user.post("/sources", &broken).await.status >= 400);
    assert_eq!(entries(&server).await, before);
}

/// Makes every new entry fail.
async fn break_log(server: &TestServer) {
    let store = &server.infra.store;
    let dropped = store.write(|c| c.execute_script("DROP TABLE audit_log"));
    dropped.await.unwrap();
}

#[tokio::test]
async fn a_change_whose_entry_fails_is_undone() {
    let server = server().await;
    let user = server.user().await;
    let new = json!({ "url": "https://example.com", "name": "before" });
    let webhook = user.post("/webhooks", &new).await.ok();
    let source = user
        .post("/sources", &json!({ "component_code": IDLE }))
        .await
        .ok();
    break_log(&server).await;
    let webhook = format!("/webhooks/{}", webhook["id"].as_str().unwrap());
    let source = format!("/sources/{}", source["id"].as_str().unwrap());
    refused(user.post("/webhooks", &new).await, 500);
    refused(user.put(&webhook, &json!({ "name": "after" })).await, 500);
    refused(user.delete(&webhook).await, 500);
    refused(
        user.put(&source, &json!({ "active": true, "name": "after" }))
            .await,
        500,
    );
    refused(user.delete(&source).await, 500);
    refused(
        user.post("/sources", &json!({ "component_code": IDLE }))
            .await,
        500,
    );
    refused(user.post("/users/me/rotate_key", &json!({})).await, 500);
    assert_eq!(user.get(&webhook).await.ok()["name"], "before");
    assert_eq!(user.get(&source).await.ok()["name"], "idle");
    let listed = user.get("/users/me/webhooks").await.expect(200);
    assert_eq!(listed["page_info"]["total_count"], 1);
    let listed = user.get("/users/me/sources").await.expect(200);
    assert_eq!(listed["page_info"]["total_count"], 1);
}
