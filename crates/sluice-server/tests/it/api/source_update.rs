//! `PUT /sources/{id}`: state, name and props. What it does to code is next door.

use serde_json::json;
use sluice_testkit::{Method, wait_for};

use super::fixtures::{WITH_PROPS, field_names, idle_source, refused};
use crate::support::{PATIENCE, deploy, deploy_with, new_user};

/// Emits the name of each of its calls.
const HOOKED: &str = r#"module.exports = { "name": "Hooked", "version": "1",
    "hooks": {
      "deploy": { "emit": [["deploy"]] },
      "activate": { "emit": [["activate"]] },
      "deactivate": { "emit": [["deactivate"]] }
    },
    "run": { "emit": [["run"]] } };"#;

#[tokio::test]
async fn an_update_answers_200_with_the_source_as_create_does() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let answer = api.put(&source.path(""), &json!({ "name": "New" })).await;
    assert_eq!(answer.header("location"), None);
    let updated = answer.ok();
    assert_eq!(field_names(&updated), field_names(&source.source));
    for kept in ["id", "user_id", "created_at"] {
        assert_eq!(updated[kept], source.source[kept], "{kept}");
    }
    assert_eq!(api.get(&source.path("")).await.ok(), updated);
}

#[tokio::test]
async fn a_body_that_names_nothing_to_change_is_400() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for body in [
        "{}",
        "",
        r#"{"unknown": 1}"#,
        r#"{"include": "id"}"#,
        r#"{"name": null, "active": null}"#,
    ] {
        let request = api.request(Method::PUT, &source.path(""));
        let answer = request
            .header("Content-Type", "application/json")
            .body(body)
            .send()
            .await;
        let error = refused(answer, 400);
        assert!(error.contains("nothing to change"), "{error}");
    }
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}

#[tokio::test]
async fn active_left_out_means_true_so_renaming_an_inactive_source_activates_it() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    api.put(&source.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    assert_eq!(
        api.put(&source.path(""), &json!({ "name": "x" }))
            .await
            .ok()["active"],
        true
    );
}

#[tokio::test]
async fn without_component_fields_the_code_is_kept() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for body in [
        json!({ "name": "x" }),
        json!({ "configured_props": {} }),
        json!({ "active": false }),
    ] {
        let updated = api.put(&source.path(""), &body).await.ok();
        assert_eq!(
            updated["component_id"], source.source["component_id"],
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_name_left_out_is_kept_with_its_slug() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    api.put(&source.path(""), &json!({ "name": "My name" }))
        .await
        .expect(200);
    let updated = api
        .put(&source.path(""), &json!({ "active": true }))
        .await
        .ok();
    assert_eq!(
        (&updated["name"], &updated["name_slug"]),
        (&json!("My name"), &json!("my-name"))
    );
}

#[tokio::test]
async fn a_new_name_changes_the_slug_and_runs_no_hook() {
    let api = new_user().await;
    let source = deploy(&api, HOOKED).await;
    let renamed = api
        .put(&source.path(""), &json!({ "name": "My newName" }))
        .await
        .ok();
    assert_eq!(
        (&renamed["name"], &renamed["name_slug"]),
        (&json!("My newName"), &json!("my-new-name"))
    );
    source.run(json!({})).await;
    assert_eq!(source.events(3).await, ["deploy", "activate", "run"]);
}

#[tokio::test]
async fn toggling_active_runs_deactivate_or_activate() {
    let api = new_user().await;
    let source = deploy(&api, HOOKED).await;
    for active in [false, true] {
        api.put(&source.path(""), &json!({ "active": active }))
            .await
            .expect(200);
    }
    assert_eq!(
        source.events(4).await,
        ["deploy", "activate", "deactivate", "activate"]
    );
}

#[tokio::test]
async fn configured_props_replace_the_whole_object_and_left_out_are_kept() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome", "count": 3 })).await;
    let renamed = api
        .put(&source.path(""), &json!({ "name": "x" }))
        .await
        .ok();
    assert_eq!(
        renamed["configured_props"],
        json!({ "city": "Rome", "count": 3 })
    );
    let body = json!({ "configured_props": { "city": "Oslo" } });
    let replaced = api.put(&source.path(""), &body).await.ok();
    assert_eq!(replaced["configured_props"], json!({ "city": "Oslo" }));
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!({ "city": "Oslo" })]);
}

#[tokio::test]
async fn bad_props_are_422_and_change_nothing() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome" })).await;
    let body = json!({ "name": "New", "configured_props": { "count": 1.5 }, "active": false });
    let refusal = api.put(&source.path(""), &body).await.expect(422);
    let faults = json!(["city is required", "count must be an integer"]);
    assert_eq!(refusal["details"]["configured_props"], faults);
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}

#[tokio::test]
async fn a_secret_sent_back_masked_keeps_its_value() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "S", "version": "1",
        "props": { "token": { "type": "string", "secret": true } }, "run": { "emit": "props" } };"#;
    let source = deploy_with(&api, code, json!({ "token": "hunter2" })).await;
    for token in ["********", "new one"] {
        let body = json!({ "configured_props": { "token": token } });
        let updated = api.put(&source.path(""), &body).await.ok();
        assert_eq!(updated["configured_props"]["token"], "********");
        source.run(json!({})).await;
        let expected = if token == "new one" { 2 } else { 1 };
        source.events(expected).await;
    }
    let tokens = ["hunter2", "new one"].map(|token| json!({ "token": token }));
    assert_eq!(source.events(2).await, tokens);
}

#[tokio::test]
async fn an_interval_timer_whose_value_did_not_change_keeps_its_schedule() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "T", "version": "1",
        "props": { "timer": "$.interface.timer" }, "run": { "emit": "event" } };"#;
    let source = deploy_with(&api, code, json!({ "timer": { "intervalSeconds": 3600 } })).await;
    let first = source.events(1).await;
    assert_eq!(
        first[0]["interval_seconds"], 3600,
        "it runs once when it is activated"
    );
    let timer =
        |seconds: u32| json!({ "configured_props": { "timer": { "intervalSeconds": seconds } } });
    api.put(&source.path(""), &timer(3600)).await.expect(200);
    api.put(&source.path(""), &json!({ "name": "x" }))
        .await
        .expect(200);
    source.run(json!({})).await;
    source.events(2).await;
    api.put(&source.path(""), &timer(7200)).await.expect(200);
    let ticks = wait_for(PATIENCE, "the tick of the new schedule", async || {
        let summaries = source.summaries().await;
        let events: Vec<_> = summaries
            .into_iter()
            .map(|summary| summary["event"]["interval_seconds"].clone())
            .collect();
        events.contains(&json!(7200)).then_some(events)
    });
    assert_eq!(ticks.await, [json!(7200), json!(null), json!(3600)]);
}

#[tokio::test]
async fn fields_of_the_wrong_type_are_400_and_named() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for (field, value) in [
        ("active", json!("yes")),
        ("active", json!(1)),
        ("name", json!({})),
        ("component_id", json!(1)),
        ("component_code", json!([])),
        ("component_url", json!(false)),
        ("key", json!(1)),
        ("configured_props", json!([1])),
    ] {
        let error = refused(
            api.put(&source.path(""), &json!({ field: value })).await,
            400,
        );
        assert!(error.contains(field), "{field}: {error}");
    }
}
