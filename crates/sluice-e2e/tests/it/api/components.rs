//! Saved components: made from code, and read by id or by key.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{IDLE, field_names, refused, save, text};
use crate::support::new_user;

const WEATHER: &str = r#"module.exports = { name: "Weather", version: "1.2.3", key: "weather-report", description: "d", props: { city: { type: "string", label: "City", description: "Where", default: "Rome" }, timer: "$.interface.timer" }, run() {} };"#;
/// SHA-256 of [`WEATHER`].
const WEATHER_HASH: &str = "91e4961a1aabe5aefc0004b732e50444d95b4f2585cf94db13227137235fe07b";

fn with_key(key: &str, version: &str) -> String {
    format!(
        r#"module.exports = {{ name: "Keyed", version: "{version}", key: "{key}", run() {{}} }};"#
    )
}

async fn create(api: &Api, code: &str) -> Value {
    api.post("/components", &json!({ "component_code": code }))
        .await
        .ok()
}

#[tokio::test]
async fn a_component_has_the_fields_of_the_spec() {
    let api = new_user().await;
    let component = create(&api, WEATHER).await;
    assert!(text(&component["id"]).starts_with("sc_"));
    let created_at = component["created_at"].as_i64().expect("epoch seconds");
    assert!(
        (1_600_000_000..10_000_000_000).contains(&created_at),
        "{created_at}"
    );
    let expected = json!({
        "id": component["id"], "code": WEATHER, "code_hash": WEATHER_HASH, "name": "Weather", "version": "1.2.3",
        "description": "d", "configurable_props": [
            { "name": "city", "type": "string", "label": "City", "description": "Where", "default": "Rome" },
            { "name": "timer", "type": "$.interface.timer" },
        ],
        "created_at": created_at, "updated_at": created_at, "key": "weather-report", "type": "source",
    });
    assert_eq!(component, expected);
    assert_eq!(field_names(&component), field_names(&expected));
}

#[tokio::test]
async fn creating_answers_200_without_a_location() {
    let api = new_user().await;
    let answer = api
        .post("/components", &json!({ "component_code": IDLE }))
        .await;
    assert_eq!(answer.header("location"), None);
    assert_eq!(field_names(&answer.expect(200)), ["data"]);
}

#[tokio::test]
async fn a_component_without_a_description_has_null() {
    let component = create(&new_user().await, IDLE).await;
    assert_eq!(component["description"], Value::Null);
}

#[tokio::test]
async fn a_component_is_read_by_its_id() {
    let api = new_user().await;
    let component = create(&api, WEATHER).await;
    let path = format!("/components/{}", text(&component["id"]));
    assert_eq!(api.get(&path).await.ok(), component);
}

#[tokio::test]
async fn a_component_is_read_by_its_key_and_the_newest_wins() {
    let api = new_user().await;
    create(&api, &with_key("my-key", "0.0.1")).await;
    let newer = create(&api, &with_key("my-key", "0.0.2")).await;
    create(&api, &with_key("other-key", "0.0.3")).await;
    assert_eq!(api.get("/components/my-key").await.ok(), newer);
}

#[tokio::test]
async fn any_text_can_be_a_key_when_it_is_escaped_in_the_path() {
    let api = new_user().await;
    let component = create(&api, &with_key("a/b c%?ü", "0.0.1")).await;
    let found = api.get("/components/a%2Fb%20c%25%3F%C3%BC").await.ok();
    assert_eq!(found["id"], component["id"]);
}

#[tokio::test]
async fn unknown_ids_and_keys_are_404() {
    let api = new_user().await;
    for path in ["sc_unknown", "no-such-key", "sc_", "dc_abc", "%00", "%FF"] {
        let error = refused(api.get(&format!("/components/{path}")).await, 404);
        assert_eq!(error, "component not found", "{path}");
    }
}

#[tokio::test]
async fn components_of_other_users_are_404_by_id_and_by_key() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let id = save(&owner, &with_key("their-key", "0.0.1")).await;
    refused(stranger.get(&format!("/components/{id}")).await, 404);
    refused(stranger.get("/components/their-key").await, 404);
}

#[tokio::test]
async fn with_both_the_code_is_used_and_the_url_is_only_metadata() {
    let api = new_user().await;
    // Nobody listens there, and the address is private: fetching it would fail twice over.
    let body = json!({ "component_code": IDLE, "component_url": "http://127.0.0.1:1/code.js" });
    assert_eq!(api.post("/components", &body).await.ok()["code"], IDLE);
}

#[tokio::test]
async fn one_of_code_and_url_is_required() {
    let api = new_user().await;
    for body in [
        json!({}),
        json!({ "component_code": null }),
        json!({ "code": IDLE }),
    ] {
        let error = refused(api.post("/components", &body).await, 400);
        assert!(error.contains("component_code"), "{error}");
    }
}

#[tokio::test]
async fn code_that_does_not_parse_is_422_with_line_and_column() {
    let api = new_user().await;
    let code = "module.exports = {\n  name: oops oops\n};";
    let body = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .expect(422);
    assert_eq!(body["error"], "component code does not load");
    let messages = body["details"]["component_code"]
        .as_array()
        .expect("a list");
    let first = text(&messages[0]);
    assert!(first.ends_with("(line 2, column 14)"), "{first}");
}

#[tokio::test]
async fn code_that_throws_while_it_loads_is_422_with_line_and_column() {
    let api = new_user().await;
    let code = "\n\n  throw new Error(\"not today\");";
    let body = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .expect(422);
    let first = text(&body["details"]["component_code"][0]);
    assert!(
        first.contains("not today") && first.contains("(line 3, column 9)"),
        "{first}"
    );
}

#[tokio::test]
async fn a_component_must_have_a_name_a_version_and_run() {
    let api = new_user().await;
    let code = "module.exports = {};";
    let body = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .expect(422);
    let faults = body["details"]["component_code"].to_string();
    for what in ["name", "version", "run"] {
        assert!(faults.contains(what), "{what}: {faults}");
    }
}

#[tokio::test]
async fn the_list_has_the_newest_of_each_key_and_of_each_name_without_one() {
    let api = new_user().await;
    create(&api, &with_key("one", "0.0.1")).await;
    create(&api, IDLE).await;
    let plain = create(&api, &IDLE.replace("0.0.1", "0.0.2")).await;
    let newest = create(&api, &with_key("one", "0.0.2")).await;
    let page = api.get("/components").await.expect(200);
    assert_eq!(page["data"], json!([newest, plain]));
    assert_eq!(page["page_info"]["total_count"], 2);
    let first = api.get("/components?limit=1").await.expect(200);
    assert_eq!(first["data"], json!([newest]));
    let cursor = text(&first["page_info"]["end_cursor"]);
    let rest = api.get(&format!("/components?after={cursor}")).await;
    assert_eq!(rest.expect(200)["data"], json!([plain]));
    let others = new_user().await.get("/components").await.expect(200);
    assert_eq!(others["data"], json!([]));
}
