//! `PUT /sources/{id}` with a component: the code is replaced and the source stays itself.

use serde_json::json;

use super::fixtures::{IDLE, WITH_PROPS, emit_numbers, idle_source, refused, save};
use crate::support::{EMITTER, deploy, deploy_with, new_user};

#[tokio::test]
async fn new_code_runs_with_the_same_id_and_the_same_endpoint() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 1).await;
    let code = r#"module.exports = { "name": "Emitter", "version": "0.0.2",
        "props": { "http": "$.interface.http" }, "run": { "emit": [["of the new code"]] } };"#;
    let updated = api
        .put(&source.path(""), &json!({ "component_code": code }))
        .await
        .ok();
    assert_eq!(updated["id"], source.source["id"]);
    assert_ne!(updated["component_id"], source.source["component_id"]);
    assert_eq!(
        updated["configured_props"]["http"],
        source.source["configured_props"]["http"]
    );
    source.send(&json!("body")).await.expect(200);
    assert_eq!(source.events(2).await, [json!(1), json!("of the new code")]);
}

#[tokio::test]
async fn new_code_keeps_the_name_unless_one_is_given() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let updated = api
        .put(&source.path(""), &json!({ "component_code": EMITTER }))
        .await
        .ok();
    assert_eq!(
        (&updated["name"], &updated["name_slug"]),
        (&json!("idle"), &json!("idle"))
    );
    let body = json!({ "component_code": IDLE, "name": "Renamed" });
    assert_eq!(
        api.put(&source.path(""), &body).await.ok()["name_slug"],
        "renamed"
    );
}

#[tokio::test]
async fn a_component_id_replaces_the_code() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let component = save(&api, EMITTER).await;
    let updated = api
        .put(&source.path(""), &json!({ "component_id": component }))
        .await
        .ok();
    assert_eq!(updated["component_id"], component);
    emit_numbers(&source, 1).await;
}

#[tokio::test]
async fn new_code_keeps_the_values_of_the_props_it_still_has() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome", "count": 1 })).await;
    let code = r#"module.exports = { "name": "With one", "version": "0.0.2", "run": {},
        "props": { "city": "string" } };"#;
    let updated = api
        .put(&source.path(""), &json!({ "component_code": code }))
        .await
        .ok();
    assert_eq!(updated["configured_props"], json!({ "city": "Rome" }));
}

#[tokio::test]
async fn new_code_whose_required_props_have_no_value_is_422_and_changes_nothing() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let body = json!({ "component_code": WITH_PROPS, "name": "New", "active": false });
    let refusal = api.put(&source.path(""), &body).await.expect(422);
    assert_eq!(
        refusal["details"]["configured_props"],
        json!(["city is required"])
    );
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
    emit_numbers(&source, 1).await;
}

#[tokio::test]
async fn new_code_and_its_props_come_together() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let body = json!({ "component_code": WITH_PROPS, "configured_props": { "city": "Rome" } });
    let updated = api.put(&source.path(""), &body).await.ok();
    assert_eq!(updated["configured_props"], json!({ "city": "Rome" }));
}

#[tokio::test]
async fn code_that_does_not_load_and_actions_are_422_and_change_nothing() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let action =
        r#"module.exports = { "name": "A", "version": "1", "type": "action", "run": {} };"#;
    for code in ["oops(", action, ""] {
        refused(
            api.put(&source.path(""), &json!({ "component_code": code }))
                .await,
            422,
        );
    }
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}

#[tokio::test]
async fn an_activate_hook_that_throws_is_422_and_the_old_code_goes_on() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let code = r#"module.exports = { "name": "Hooked", "version": "0.0.2", "run": {},
        "hooks": { "activate": { "fail": "no" } } };"#;
    let refusal = api
        .put(&source.path(""), &json!({ "component_code": code }))
        .await
        .expect(422);
    assert_eq!(refusal["error"], "observation error");
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
    emit_numbers(&source, 1).await;
}
