//! The registry: what the operator published to this server, for everyone to deploy.

use serde_json::json;
use sluice_testkit::{Answer, Api};

use super::{emitter, operator, registered, unique_key};
use crate::{
    api::fixtures::{EMITTER, emit_numbers, refused, save, text},
    support::{Deployed, new_user},
};

/// Publishes what the operator has saved before.
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
async fn the_highest_version_stands_under_the_key_and_a_release_above_its_pre_releases() {
    let (api, key) = (operator(), unique_key());
    for (version, newest) in [
        ("1.9.0", "1.9.0"),
        ("1.10.0-beta.1", "1.10.0-beta.1"),
        ("1.10.0", "1.10.0"),
        ("1.2.0", "1.10.0"),
        ("1.10.0-rc.1", "1.10.0"),
    ] {
        publish(&api, &emitter(&key, version)).await.expect(200);
        let found = api.get(&format!("/components/registry/{key}")).await.ok();
        assert_eq!(found["version"], newest);
    }
}

#[tokio::test]
async fn code_is_published_without_being_saved_before() {
    let (api, key) = (operator(), unique_key());
    let body = json!({ "component_code": emitter(&key, "1.0.0") });
    let published = api.post("/components/registry", &body).await.ok();
    assert_eq!(registered(&key).await.ok(), published);
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
    let nothing = operator().post("/components/registry", &json!({})).await;
    let message = refused(nothing, 400);
    assert!(message.contains("component_url"), "{message}");
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
async fn the_key_of_a_registry_component_begins_with_an_app_that_its_props_name() {
    let api = operator();
    let key = unique_key();
    let with_apps = |apps: &[&str]| {
        let props: Vec<String> = apps
            .iter()
            .map(|app| format!("{app}: {{ type: 'app', app: '{app}' }}, "))
            .collect();
        let props = props.concat();
        emitter(&key, "1.0.0").replace("props: {", &format!("props: {{ {props}"))
    };
    let message = refused(publish(&api, &with_apps(&["other", "tes"])).await, 422);
    assert!(
        message.contains("does not begin with other- or tes-"),
        "{message}"
    );
    publish(&api, &with_apps(&["other", "test"]))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_version_is_published_once() {
    let (api, key) = (operator(), unique_key());
    publish(&api, &emitter(&key, "1.0.0")).await.expect(200);
    let message = refused(publish(&api, &emitter(&key, "1.0.0")).await, 409);
    assert_eq!(
        message,
        "version 1.0.0 is already published under this key: publish again under a higher one"
    );
}

#[tokio::test]
async fn unpublishing_takes_every_version_and_what_runs_keeps_running() {
    let (api, key) = (operator(), unique_key());
    publish(&api, &emitter(&key, "1.0.0")).await.expect(200);
    publish(&api, &emitter(&key, "1.1.0")).await.expect(200);
    let user = new_user().await;
    let source = user.post("/sources", &json!({ "key": key })).await.ok();
    let path = format!("/components/registry/{key}");
    refused(user.delete(&path).await, 404);
    api.delete(&path).await.expect(204);
    refused(api.delete(&path).await, 404);
    refused(api.get(&path).await, 404);
    refused(user.post("/sources", &json!({ "key": key })).await, 404);
    let source = Deployed {
        id: text(&source["id"]),
        api: user,
        source,
    };
    emit_numbers(&source, 1).await;
    publish(&api, &emitter(&key, "1.0.0")).await.expect(200);
}

#[tokio::test]
async fn unknown_registry_keys_are_404() {
    let api = new_user().await;
    for key in ["no-such-key", "%00", "%FF", "sc_abc"] {
        refused(api.get(&format!("/components/registry/{key}")).await, 404);
    }
}
