//! Rules 1 and 2 for creating and updating sources: which component a request means.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{IDLE, idle_source, refused, save, text};
use crate::support::{EMITTER, new_user};

/// Nobody listens there, and it is private: using it fails.
const BAD_URL: &str = "http://127.0.0.1:1/code.js";
const UNKNOWN_KEY: &str = "no-such-key";

async fn code_of(api: &Api, source: &Value) -> Value {
    let path = format!("/components/{}", text(&source["component_id"]));
    api.get(&path).await.ok()["code"].clone()
}

#[tokio::test]
async fn rule_1_one_of_the_references_is_required_to_create() {
    let api = new_user().await;
    for body in [
        json!({}),
        json!({ "name": "x", "configured_props": {} }),
        json!({ "component_id": null, "component_code": null, "component_url": null, "key": null }),
    ] {
        let error = refused(api.post("/sources", &body).await, 400);
        assert!(error.contains("component_id"), "{error}");
    }
}

#[tokio::test]
async fn rule_2_component_id_is_preferred_to_everything() {
    let api = new_user().await;
    let id = save(&api, EMITTER).await;
    let body = json!({
        "component_id": id, "component_code": IDLE, "component_url": BAD_URL, "key": UNKNOWN_KEY,
    });
    let created = api.post("/sources", &body).await.ok();
    assert_eq!(created["component_id"], id);
    let source = idle_source(&api).await;
    assert_eq!(
        api.put(&source.path(""), &body).await.ok()["component_id"],
        id
    );
}

#[tokio::test]
async fn rule_2_code_is_preferred_to_a_url_which_is_only_metadata() {
    let api = new_user().await;
    let body = json!({ "component_code": EMITTER, "component_url": BAD_URL, "key": UNKNOWN_KEY });
    let created = api.post("/sources", &body).await.ok();
    assert_eq!(code_of(&api, &created).await, EMITTER);
    let source = idle_source(&api).await;
    let updated = api.put(&source.path(""), &body).await.ok();
    assert_eq!(code_of(&api, &updated).await, EMITTER);
}

#[tokio::test]
async fn a_url_is_preferred_to_a_key() {
    let api = new_user().await;
    let body = json!({ "component_url": BAD_URL, "key": UNKNOWN_KEY });
    let error = refused(api.post("/sources", &body).await, 422);
    assert!(error.contains("component_url"), "{error}");
}

#[tokio::test]
async fn many_sources_are_made_from_one_component_id() {
    let api = new_user().await;
    let body = json!({ "component_id": save(&api, IDLE).await });
    let first = api.post("/sources", &body).await.ok();
    let second = api.post("/sources", &body).await.ok();
    assert_eq!(first["component_id"], second["component_id"]);
    assert_ne!(first["id"], second["id"]);
}

#[tokio::test]
async fn unknown_component_ids_and_keys_are_404_in_create_and_update() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for body in [
        json!({ "component_id": "sc_unknown" }),
        json!({ "component_id": "nonsense" }),
        json!({ "component_id": "" }),
        json!({ "component_id": source.id }),
        json!({ "key": UNKNOWN_KEY }),
        json!({ "key": "" }),
    ] {
        assert_eq!(
            refused(api.post("/sources", &body).await, 404),
            "component not found"
        );
        assert_eq!(
            refused(api.put(&source.path(""), &body).await, 404),
            "component not found"
        );
    }
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}
