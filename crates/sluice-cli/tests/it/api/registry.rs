//! The registry: what the operator published to this server, for everyone to deploy.

use serde_json::json;
use sluice_testkit::{Answer, Api, Backend};

use super::fixtures::{EMITTER, emit_numbers, refused, save, text};
use crate::support::{Deployed, new_user, shared_server, unique_name};

fn operator() -> Api {
    shared_server(Backend::Sqlite).api()
}

/// A key of the form that the registry wants, unlike that of any other test.
fn unique_key() -> String {
    format!("test-{}", unique_name())
}

fn emitter(key: &str, version: &str) -> String {
    EMITTER.replace(
        r#"version: "0.0.1""#,
        &format!(r#"version: "{version}", key: "{key}""#),
    )
}

async fn publish(api: &Api, code: &str) -> Answer {
    let id = save(api, code).await;
    api.post("/components/registry", &json!({ "component_id": id }))
        .await
}

#[tokio::test]
async fn a_published_component_is_read_by_its_key_by_anyone() {
    let key = unique_key();
    let published = publish(&operator(), &emitter(&key, "1.0.0")).await.ok();
    let found = new_user()
        .await
        .get(&format!("/components/registry/{key}"))
        .await
        .ok();
    assert_eq!(found, published);
    assert_eq!(found["key"], key);
}

#[tokio::test]
async fn a_published_component_is_deployed_by_its_key_by_anyone() {
    let key = unique_key();
    let published = publish(&operator(), &emitter(&key, "1.0.0")).await.ok();
    let api = new_user().await;
    let source = api.post("/sources", &json!({ "key": key })).await.ok();
    assert_eq!(source["component_id"], published["id"]);
    let path = format!("/components/{}", text(&published["id"]));
    assert_eq!(api.get(&path).await.ok(), published);
    refused(new_user().await.get(&path).await, 404);
    let source = Deployed {
        id: text(&source["id"]),
        api,
        source,
    };
    emit_numbers(&source, 1).await;
}

#[tokio::test]
async fn the_newest_published_version_stands_under_the_key() {
    let (api, key) = (operator(), unique_key());
    publish(&api, &emitter(&key, "1.0.0")).await.expect(200);
    publish(&api, &emitter(&key, "1.1.0")).await.expect(200);
    let found = api.get(&format!("/components/registry/{key}")).await.ok();
    assert_eq!(found["version"], "1.1.0");
}

#[tokio::test]
async fn what_is_only_saved_is_not_in_the_registry() {
    let (api, key) = (operator(), unique_key());
    save(&api, &emitter(&key, "1.0.0")).await;
    refused(api.get(&format!("/components/registry/{key}")).await, 404);
    refused(api.post("/sources", &json!({ "key": key })).await, 404);
}

#[tokio::test]
async fn only_the_operator_publishes_for_others_the_path_does_not_exist() {
    let api = new_user().await;
    refused(publish(&api, &emitter(&unique_key(), "1.0.0")).await, 404);
}

#[tokio::test]
async fn publishing_names_a_component_of_the_operators() {
    let stranger = new_user().await;
    let theirs = save(&stranger, &emitter(&unique_key(), "1.0.0")).await;
    for (id, status) in [
        (json!(null), 400),
        (json!(7), 400),
        (json!("sc_unknown"), 404),
        (json!("nonsense"), 404),
        (json!(theirs), 404),
    ] {
        let body = json!({ "component_id": id });
        refused(operator().post("/components/registry", &body).await, status);
    }
}

#[tokio::test]
async fn registry_components_need_a_key_of_app_and_name_and_a_semantic_version() {
    let api = operator();
    let key = unique_key();
    for code in [
        EMITTER.to_owned(),
        emitter("nodash", "1.0.0"),
        emitter("Has-Capitals", "1.0.0"),
        emitter("-", "1.0.0"),
        emitter(&key, "1"),
        emitter(&key, "1.0.0.0"),
        emitter(&key, "01.0.0"),
    ] {
        refused(publish(&api, &code).await, 422);
    }
}

#[tokio::test]
async fn a_version_is_published_once() {
    let (api, key) = (operator(), unique_key());
    publish(&api, &emitter(&key, "1.0.0")).await.expect(200);
    refused(publish(&api, &emitter(&key, "1.0.0")).await, 409);
}

#[tokio::test]
async fn unknown_registry_keys_are_404() {
    let api = new_user().await;
    for key in ["no-such-key", "%00", "%FF", "sc_abc"] {
        refused(api.get(&format!("/components/registry/{key}")).await, 404);
    }
}
