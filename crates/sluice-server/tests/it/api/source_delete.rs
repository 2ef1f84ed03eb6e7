//! `DELETE /sources/{id}`.

use serde_json::json;

use super::fixtures::{emit_numbers, idle_source, page, refused};
use crate::support::{EMITTER, deploy, new_user};

const STUBBORN: &str = r#"module.exports = { "name": "Stubborn", "version": "1",
    "hooks": { "deactivate": { "fail": "I stay" } }, "run": {} };"#;

#[tokio::test]
async fn deleting_answers_204_without_a_body() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let answer = api.delete(&source.path("")).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
}

#[tokio::test]
async fn what_was_deleted_is_404_afterwards() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 1).await;
    api.delete(&source.path("")).await.expect(204);
    for path in ["", "/event_summaries", "/logs"] {
        refused(api.get(&source.path(path)).await, 404);
    }
    refused(api.delete(&source.path("")).await, 404);
    refused(api.delete(&source.path("/events")).await, 404);
    refused(
        api.put(&source.path(""), &json!({ "name": "x" })).await,
        404,
    );
    refused(api.post(&source.path("/run"), &json!({})).await, 404);
    refused(source.send(&json!(1)).await, 404);
}

#[tokio::test]
async fn the_component_outlives_its_source() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    api.delete(&source.path("")).await.expect(204);
    let component = source.source["component_id"].as_str().expect("an id");
    api.get(&format!("/components/{component}"))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_deactivate_hook_that_throws_is_422_and_the_source_stays() {
    let api = new_user().await;
    let source = deploy(&api, STUBBORN).await;
    let refusal = api.delete(&source.path("")).await.expect(422);
    assert_eq!(refusal["error"], "observation error");
    assert!(
        refusal["observations"].to_string().contains("I stay"),
        "{refusal}"
    );
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}

#[tokio::test]
async fn ignore_hook_errors_deletes_anyway() {
    let api = new_user().await;
    let source = deploy(&api, STUBBORN).await;
    api.delete(&source.path("?ignore_hook_errors=false"))
        .await
        .expect(422);
    api.delete(&source.path("?ignore_hook_errors=true"))
        .await
        .expect(204);
    assert!(page(&api, "/users/me/sources").await.rows.is_empty());
}

#[tokio::test]
async fn ignore_hook_errors_is_true_or_false() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for value in ["", "yes", "1", "TRUE"] {
        let error = refused(
            api.delete(&source.path(&format!("?ignore_hook_errors={value}")))
                .await,
            400,
        );
        assert!(
            error.contains("ignore_hook_errors") || error.contains("true"),
            "{error}"
        );
    }
    api.get(&source.path("")).await.expect(200);
}

#[tokio::test]
async fn of_several_deletes_at_once_one_deletes_and_the_others_find_nothing() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let path = source.path("");
    let (a, b, c) = tokio::join!(api.delete(&path), api.delete(&path), api.delete(&path));
    let mut statuses = [a.status, b.status, c.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 404, 404]);
}
