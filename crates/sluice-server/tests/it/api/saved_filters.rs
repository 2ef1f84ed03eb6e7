//! Saved filters.

use serde_json::{Value, json};

use super::fixtures::{refused, text};
use crate::support::new_user;

const PATH: &str = "/saved_filters";

#[tokio::test]
async fn a_filter_is_saved_renamed_changed_and_deleted() {
    let (user, other) = (new_user().await, new_user().await);
    let request = json!({ "list": "events", "name": " Large ", "parameters": { "q": "total:>100", "range": "7d" } });
    let saved = user.post(PATH, &request).await.ok();
    assert_eq!(
        (&saved["name"], &saved["list"]),
        (&json!("Large"), &json!("events"))
    );
    let runs = json!({ "list": "runs", "name": "Large" });
    user.post(PATH, &runs).await.ok();
    let own = format!("{PATH}/{}", text(&saved["id"]));
    let renamed = user.put(&own, &json!({ "name": "Huge" })).await.ok();
    assert_eq!(renamed["name"], "Huge");
    assert_eq!(renamed["parameters"], saved["parameters"]);
    let changed = json!({ "parameters": { "q": "total:>1000" } });
    assert_eq!(user.put(&own, &changed).await.ok()["name"], "Huge");
    let list = user.get(PATH).await.ok();
    let of = |field: &str| -> Vec<Value> {
        let rows = list.as_array().expect("a list");
        rows.iter().map(|row| row[field].clone()).collect()
    };
    assert_eq!(of("name"), ["Huge", "Large"]);
    assert_eq!(of("parameters"), [json!({ "q": "total:>1000" }), json!({})]);
    assert_eq!(other.get(PATH).await.ok(), json!([]));
    refused(other.put(&own, &json!({ "name": "x" })).await, 404);
    refused(other.delete(&own).await, 404);
    user.delete(&own).await.expect(204);
    refused(user.delete(&own).await, 404);
}

#[tokio::test]
async fn a_filter_has_a_list_a_name_of_its_own_and_a_query_that_parses() {
    let user = new_user().await;
    let filter = |list: &str, name: &str, q: &str| json!({ "list": list, "name": name, "parameters": { "q": q } });
    user.post(PATH, &filter("logs", "Errors", "level:error"))
        .await
        .ok();
    refused(user.post(PATH, &filter("logs", "Errors", "x")).await, 409);
    refused(user.post(PATH, &filter("sources", "a", "x")).await, 400);
    refused(user.post(PATH, &filter("logs", "", "x")).await, 400);
    let long = "x".repeat(101);
    refused(user.post(PATH, &filter("logs", &long, "x")).await, 400);
    let error = refused(user.post(PATH, &filter("logs", "a", "level:")).await, 400);
    assert_eq!(error, "q: a value is missing, at character 7");
    let many: Value = (0..17).map(|n| (format!("p{n}"), json!("x"))).collect();
    let too_many = json!({ "list": "logs", "name": "b", "parameters": many });
    refused(user.post(PATH, &too_many).await, 400);
}
