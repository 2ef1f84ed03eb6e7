//! Searches in the runs of actions.

use serde_json::{Value, json};

use crate::{server::User, support::new_user};

/// Runs an action with a name and a prop, and returns the id of the run.
async fn run(user: &User, name: &str, city: &str) -> String {
    let component = json!({ "name": name, "version": "0.0.1", "type": "action",
        "props": { "city": "string" }, "run": { "return": "props" } });
    let body = json!({ "component_code": format!("module.exports = {component}"),
        "configured_props": { "city": city } });
    let run = user.post("/actions/run", &body).await.ok();
    assert_eq!(run["state"], "succeeded");
    run["id"].as_str().expect("an id").to_owned()
}

async fn find(user: &User, query: &str) -> Vec<Value> {
    let page = user.get(&format!("/actions/runs?{query}")).await;
    let page = page.expect(200);
    let rows = page["data"].as_array().expect("rows").iter();
    let ids: Vec<Value> = rows.map(|row| row["id"].clone()).collect();
    assert_eq!(page["page_info"]["total_count"], ids.len());
    assert_eq!(page["page_info"]["searched_to"], Value::Null);
    ids
}

#[tokio::test]
async fn runs_of_actions_are_found_by_words_fields_and_times() {
    let user = new_user().await;
    let paris = run(&user, "Weather", "Paris").await;
    let rome = run(&user, "Traffic", "Rome").await;
    let (first, second) = (json!([paris]), json!([rome]));
    for (query, expected) in [
        ("q=rome", &second),
        ("q=name%3AWeather", &first),
        ("q=nowhere", &json!([])),
        ("q=state%3Asucceeded&state=failed", &json!([])),
        ("q=state%3Asucceeded&since=0", &json!([rome, paris])),
        ("until=5", &json!([])),
    ] {
        let found = find(&user, query).await;
        assert_eq!(json!(found), *expected, "{query}");
    }
    let wrong = user.get("/actions/runs?q=a%3A").await;
    assert_eq!(wrong.status, 400);
    let other = new_user().await;
    assert_eq!(find(&other, "q=rome").await, [""; 0]);
}
