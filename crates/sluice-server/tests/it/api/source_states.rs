//! The states of a source: every row of the spec's table of transitions.

use serde_json::json;
use sluice_testkit::Api;

use super::fixtures::{page, refused};
use crate::support::{Deployed, EMITTER, deploy, new_user};

async fn set_active(source: &Deployed, active: bool) {
    let body = json!({ "active": active });
    assert_eq!(
        source.api.put(&source.path(""), &body).await.ok()["active"],
        active
    );
    assert_eq!(
        source.api.get(&source.path("")).await.ok()["active"],
        active
    );
}

async fn assert_gone(api: &Api, source: &Deployed) {
    refused(api.get(&source.path("")).await, 404);
    refused(source.send(&json!(1)).await, 404);
    assert!(page(api, "/users/me/sources").await.rows.is_empty());
}

#[tokio::test]
async fn none_to_active_by_post_sources() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    assert_eq!(source.source["active"], true);
    source.send(&json!("hello")).await.expect(200);
    assert_eq!(source.events(1).await, [json!("hello")]);
}

#[tokio::test]
async fn active_to_inactive_by_put_with_active_false() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    set_active(&source, false).await;
    refused(source.send(&json!(1)).await, 404);
}

#[tokio::test]
async fn inactive_to_active_by_put_with_active_true() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    set_active(&source, false).await;
    source.send(&json!("while asleep")).await.expect(404);
    set_active(&source, true).await;
    source.send(&json!("awake")).await.expect(200);
    assert_eq!(source.events(1).await, [json!("awake")]);
}

#[tokio::test]
async fn active_to_deleted_by_delete() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    source.api.delete(&source.path("")).await.expect(204);
    assert_gone(&api, &source).await;
}

#[tokio::test]
async fn inactive_to_deleted_by_delete() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    set_active(&source, false).await;
    source.api.delete(&source.path("")).await.expect(204);
    assert_gone(&api, &source).await;
}

#[tokio::test]
async fn setting_the_state_it_has_changes_nothing() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    set_active(&source, true).await;
    source.send(&json!(1)).await.expect(200);
    set_active(&source, false).await;
    set_active(&source, false).await;
}
