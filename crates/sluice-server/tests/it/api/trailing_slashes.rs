//! Every path means the same with a slash at its end.

use serde_json::json;
use sluice_testkit::{Method, guarded_operations};

use super::fixtures::{IDLE, emit_numbers, refused};
use crate::support::{EMITTER, deploy, new_user};

#[tokio::test]
async fn reading_is_the_same_with_and_without_a_slash() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 2).await;
    for path in [
        "/users/me",
        "/users/me/sources",
        &source.path(""),
        &source.path("/event_summaries"),
        &source.path("/logs"),
    ] {
        for query in ["", "?limit=1&include=id"] {
            let plain = api.get(&format!("{path}{query}")).await.expect(200);
            let slashed = api.get(&format!("{path}/{query}")).await.expect(200);
            assert_eq!(plain, slashed, "{path}{query}");
        }
    }
}

#[tokio::test]
async fn writing_works_with_a_slash() {
    let api = new_user().await;
    let body = json!({ "component_code": IDLE });
    api.post("/components/", &body).await.expect(200);
    let source = api.post("/sources/", &body).await.ok();
    let path = format!("/sources/{}", source["id"].as_str().expect("an id"));
    api.post(&format!("{path}/run/"), &json!({}))
        .await
        .expect(200);
    assert_eq!(
        api.put(&format!("{path}/"), &json!({ "name": "x" }))
            .await
            .ok()["name"],
        "x"
    );
    api.delete(&format!("{path}/events/")).await.expect(202);
    api.delete(&format!("{path}/?ignore_hook_errors=true"))
        .await
        .expect(204);
    refused(api.get(&path).await, 404);
}

#[tokio::test]
async fn every_documented_path_is_found_with_a_slash() {
    let api = new_user().await;
    for (method, path) in guarded_operations(&api).await {
        let method: Method = method.parse().expect("a method");
        // Without a key: a path that exists asks for it.
        refused(api.root(method, &format!("{path}/")).send().await, 401);
    }
}
