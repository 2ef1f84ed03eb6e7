//! `POST /sources`: what it answers, and what keeps a source from being made.

use serde_json::{Value, json};

use super::fixtures::{IDLE, WITH_PROPS, field_names, page, refused, text};
use crate::support::{EMITTER, deploy, deploy_with, new_user};

#[tokio::test]
async fn a_new_source_has_the_fields_of_the_spec_and_is_active() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome" }))
        .await
        .source;
    assert!(text(&source["id"]).starts_with("dc_"));
    assert!(text(&source["component_id"]).starts_with("sc_"));
    let created_at = source["created_at"].as_i64().expect("epoch seconds");
    assert!(
        (1_600_000_000..10_000_000_000).contains(&created_at),
        "{created_at}"
    );
    let expected = json!({
        "id": source["id"], "user_id": api.get("/users/me").await.ok()["id"],
        "component_id": source["component_id"], "configured_props": { "city": "Rome" }, "active": true,
        "version": 1, "created_at": created_at, "updated_at": created_at, "name": "with-props", "name_slug": "with-props",
    });
    assert_eq!(source, expected);
    assert_eq!(field_names(&source), field_names(&expected));
}

#[tokio::test]
async fn creating_answers_200_without_a_location() {
    let api = new_user().await;
    let answer = api
        .post("/sources", &json!({ "component_code": IDLE }))
        .await;
    assert_eq!(answer.header("location"), None);
    assert_eq!(field_names(&answer.expect(200)), ["data"]);
}

#[tokio::test]
async fn a_source_is_read_by_its_id() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    assert_eq!(api.get(&source.path("")).await.ok(), source.source);
}

#[tokio::test]
async fn an_http_prop_holds_its_endpoint_url() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let (server, key) = source
        .endpoint()
        .split_once("/e/")
        .expect("an endpoint address");
    assert!(server.starts_with("http://127.0.0.1:"), "{server}");
    assert_eq!(key.len(), 32);
    assert!(
        key.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "{key}"
    );
}

#[tokio::test]
async fn a_timer_prop_is_given_in_camel_case_and_returned_as_cron_and_interval_seconds() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "T", "version": "1", "props": { "timer": "$.interface.timer" }, "run": {} };"#;
    for (given, returned) in [
        (
            json!({ "intervalSeconds": 7200 }),
            json!({ "cron": null, "interval_seconds": 7200 }),
        ),
        (
            json!({ "cron": "0 0 1 1 *" }),
            json!({ "cron": "0 0 1 1 *", "interval_seconds": null }),
        ),
        (
            Value::Null,
            json!({ "cron": null, "interval_seconds": 3600 }),
        ),
    ] {
        let source = deploy_with(&api, code, json!({ "timer": given }))
            .await
            .source;
        assert_eq!(source["configured_props"]["timer"], returned, "{given}");
    }
}

#[tokio::test]
async fn a_schedule_that_never_fires_is_rejected() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "T", "version": "1", "props": { "timer": "$.interface.timer" }, "run": {} };"#;
    for (cron, reason) in [
        (
            "0 0 30 2 *",
            "timer never fires: no date matches the cron expression \"0 0 30 2 *\"",
        ),
        (
            "0 24 * * *",
            "timer is not a valid cron expression: \"24\" is not a valid hour (0-23)",
        ),
    ] {
        let body =
            json!({ "component_code": code, "configured_props": { "timer": { "cron": cron } } });
        let error = api.post("/sources", &body).await.expect(422);
        assert_eq!(error["details"]["configured_props"], json!([reason]));
    }
}

#[tokio::test]
async fn a_secret_prop_is_shown_masked() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "S", "version": "1",
        "props": { "token": { "type": "string", "secret": true } }, "run": {} };"#;
    let source = deploy_with(&api, code, json!({ "token": "hunter2" })).await;
    assert_eq!(source.source["configured_props"]["token"], "********");
    assert!(!api.get("/users/me/sources").await.text.contains("hunter2"));
}

#[tokio::test]
async fn missing_and_bad_props_are_422_all_of_them_at_once() {
    let api = new_user().await;
    let props = json!({ "count": "many", "colour": "red" });
    let body = json!({ "component_code": WITH_PROPS, "configured_props": props });
    let refusal = api.post("/sources", &body).await.expect(422);
    let expected = json!({ "error": "record invalid", "details": {
        "configured_props": [
            "city is required", "count must be an integer", "colour is not a prop of this component",
        ],
        "props": [
            { "prop": "city", "code": "required", "message": "city is required" },
            { "prop": "count", "code": "wrong_type", "message": "count must be an integer" },
            { "prop": "colour", "code": "unknown_prop", "message": "colour is not a prop of this component" },
        ],
    } });
    assert_eq!(refusal, expected);
}

#[tokio::test]
async fn fields_of_the_wrong_type_are_400_and_named() {
    let api = new_user().await;
    for field in [
        "component_id",
        "component_code",
        "component_url",
        "key",
        "name",
    ] {
        for value in [json!(5), json!(true), json!([]), json!({}), json!("nul\0")] {
            let mut body = json!({ "component_code": IDLE });
            body[field] = value;
            let error = refused(api.post("/sources", &body).await, 400);
            assert!(error.contains(field), "{body}: {error}");
        }
    }
    for value in [json!("x"), json!([]), json!(1)] {
        let body = json!({ "component_code": IDLE, "configured_props": value });
        let error = refused(api.post("/sources", &body).await, 400);
        assert!(error.contains("configured_props"), "{body}: {error}");
    }
}

#[tokio::test]
async fn code_that_does_not_load_is_422() {
    let api = new_user().await;
    let refusal = api
        .post("/sources", &json!({ "component_code": "oops(" }))
        .await
        .expect(422);
    assert!(refusal["details"]["component_code"].is_array(), "{refusal}");
}

#[tokio::test]
async fn an_action_cannot_be_deployed() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "A", "version": "1", "type": "action", "run": {} };"#;
    refused(
        api.post("/sources", &json!({ "component_code": code }))
            .await,
        422,
    );
}

#[tokio::test]
async fn a_hook_that_throws_is_422_with_observations_and_leaves_nothing_behind() {
    let api = new_user().await;
    let code = r#"module.exports = { "name": "Hooked", "version": "1", "run": {},
        "hooks": { "deploy": { "log": "so far so good", "fail": "no luck" } } };"#;
    let refusal = api
        .post("/sources", &json!({ "component_code": code }))
        .await
        .expect(422);
    assert_eq!(refusal["error"], "observation error");
    let observations = refusal["observations"].to_string();
    assert!(
        observations.contains("so far so good") && observations.contains("no luck"),
        "{observations}"
    );
    assert_eq!(page(&api, "/users/me/sources").await.info["total_count"], 0);
    let again = api
        .post(
            "/sources",
            &json!({ "component_code": IDLE, "name": "hooked" }),
        )
        .await
        .ok();
    assert_eq!(again["name_slug"], "hooked", "the name is free");
}
