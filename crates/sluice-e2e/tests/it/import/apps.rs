//! The apps of imported components.

use serde_json::json;

use super::Stage;

#[tokio::test]
async fn an_app_that_is_not_known_is_registered_with_what_the_code_reads_of_its_accounts() {
    let stage = Stage::with_apps(1).await;
    stage.tree.put(
        "plain_words/actions/say/say.mjs",
        "export default { key: 'plain_words-say', name: 'Say', version: '0.0.1', type: 'action', run() {} };",
    );
    stage.import(&[]).await;
    let app = stage.api().get("/apps/service_000").await.ok();
    assert_eq!(app["name"], "Service 000");
    assert_eq!(app["auth_type"], "keys");
    let fields: serde_json::Value =
        serde_json::from_str(app["custom_fields_json"].as_str().expect("JSON")).expect("JSON");
    let names: Vec<_> = fields
        .as_array()
        .expect("a list")
        .iter()
        .map(|field| field["name"].clone())
        .collect();
    assert_eq!(names, ["api_key", "workspace"]);
    assert_eq!(fields[0]["type"], "password");
    assert_eq!(fields[1].get("type"), None);
    let plain = stage.api().get("/apps/plain_words").await.ok();
    assert_eq!(
        (&plain["name"], &plain["auth_type"]),
        (&json!("Plain Words"), &json!("none"))
    );
}

#[tokio::test]
async fn an_app_that_is_known_is_left_alone() {
    let stage = Stage::with_apps(1).await;
    let app = json!({
        "name_slug": "service_000", "name": "My service", "auth_type": "keys",
        "custom_fields": [{ "name": "token" }],
    });
    let before = stage.api().post("/apps", &app).await.ok();
    assert_eq!(stage.import(&[]).await.counts(), [10, 0, 0, 0]);
    let after = stage.api().get("/apps/service_000").await.ok();
    assert_eq!(after["custom_fields_json"], before["custom_fields_json"]);
    assert_eq!(after["name"], "My service");
}

#[tokio::test]
async fn a_component_in_the_folder_of_one_app_may_use_another() {
    let stage = Stage::with_apps(1).await;
    let other = "import service from '../../../service_000/service_000.app.mjs';
        export default { key: 'bridge-say', name: 'Say', version: '0.0.1', type: 'action', props: { service }, run() {} };";
    stage.tree.put("bridge/actions/say/say.mjs", other);
    let foreign = other.replace("bridge-say", "third-say");
    stage.tree.put("bridge/actions/tell/tell.mjs", &foreign);
    stage.import(&[]).await;
    let found = stage
        .api()
        .get("/components/search?query=say&app=bridge")
        .await;
    assert_eq!(found.body["actions"], json!(["bridge-say"]));
    stage
        .api()
        .get("/components/registry/third-say")
        .await
        .expect(404);
}
