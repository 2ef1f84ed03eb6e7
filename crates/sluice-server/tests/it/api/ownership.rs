//! What belongs to another user is as unknown as what never was: 404, wherever the id stands.

use serde_json::json;
use sluice_testkit::{Api, Method};

use super::fixtures::{emit_numbers, idle_source, refused};
use crate::support::{EMITTER, deploy, new_user};

async fn everything_about(api: &Api, source: &str) {
    for (method, rest) in [
        (Method::GET, ""),
        (Method::PUT, ""),
        (Method::DELETE, ""),
        (Method::DELETE, "?ignore_hook_errors=true"),
        (Method::GET, "/event_summaries"),
        (
            Method::GET,
            "/event_summaries?event_name=$errors&expand=event",
        ),
        (Method::DELETE, "/events"),
        (Method::GET, "/logs"),
        (Method::POST, "/run"),
    ] {
        let path = format!("/sources/{source}{rest}");
        let answer = api
            .request(method.clone(), &path)
            .json(&json!({ "name": "x", "active": false }))
            .send()
            .await;
        assert_eq!(refused(answer, 404), "source not found", "{method} {path}");
    }
}

#[tokio::test]
async fn sources_of_other_users_are_404_everywhere_and_stay_as_they_were() {
    let owner = new_user().await;
    let source = deploy(&owner, EMITTER).await;
    emit_numbers(&source, 1).await;
    let stranger = new_user().await;
    everything_about(&stranger, &source.id).await;
    assert_eq!(owner.get(&source.path("")).await.ok(), source.source);
    emit_numbers(&source, 1).await;
    assert_eq!(source.events(2).await.len(), 2);
}

#[tokio::test]
async fn unknown_source_ids_are_404_everywhere() {
    let api = new_user().await;
    let too_long = format!("dc_{}", "x".repeat(5000));
    for id in [
        "dc_unknown",
        "dc_",
        "nonsense",
        "sc_abc",
        "u_abc",
        "DC_ABC",
        "%00",
        "dc_%00",
        "dc_%FF",
        "dc_a%20b",
        "dc_%F0%9F%A6%80",
        "..%2Fusers",
        "me",
        &too_long,
    ] {
        everything_about(&api, id).await;
    }
}

#[tokio::test]
async fn the_operator_sees_no_sources_of_others_either() {
    let owner = new_user().await;
    let source = idle_source(&owner).await;
    let operator = crate::support::server().await.operator();
    everything_about(&operator, &source.id).await;
}

#[tokio::test]
async fn component_ids_of_other_users_are_404_in_create_and_update() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let theirs = idle_source(&owner).await.source["component_id"].clone();
    let mine = idle_source(&stranger).await;
    let body = json!({ "component_id": theirs });
    assert_eq!(
        refused(stranger.post("/sources", &body).await, 404),
        "component not found"
    );
    assert_eq!(
        refused(stranger.put(&mine.path(""), &body).await, 404),
        "component not found"
    );
    assert_eq!(stranger.get(&mine.path("")).await.ok(), mine.source);
}

#[tokio::test]
async fn cursors_of_other_users_show_only_what_is_ones_own() {
    let (owner, stranger) = (new_user().await, new_user().await);
    idle_source(&stranger).await;
    idle_source(&owner).await;
    let cursor = super::fixtures::page(&owner, "/users/me/sources")
        .await
        .start_cursor();
    let rows = super::fixtures::page(&stranger, &format!("/users/me/sources?after={cursor}")).await;
    assert_eq!(rows.info["total_count"], 1);
    assert!(rows.rows.len() <= 1);
}
