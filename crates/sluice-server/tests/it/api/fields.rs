//! `include` and `exclude`, on every endpoint that answers with data.

use serde_json::{Value, json};
use sluice_testkit::Method;

use super::fixtures::{IDLE, emit_numbers, field_names};
use crate::support::{EMITTER, deploy, new_user, server, unique_name};

const CONSOLE: &str =
    r#"module.exports = { "name": "C", "version": "1", "run": { "log": "hello" } };"#;

/// The item, or the first item of the list.
fn item(body: &Value) -> &Value {
    match &body["data"] {
        Value::Array(rows) => &rows[0],
        item => item,
    }
}

#[tokio::test]
async fn get_takes_include_and_exclude_in_the_query_string_for_each_item() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 1).await;
    let talker = deploy(&api, CONSOLE).await;
    talker.run(json!({})).await;
    talker.log_with("hello").await;
    let component = format!(
        "/components/{}",
        source.source["component_id"].as_str().expect("an id")
    );
    for path in [
        "/users/me",
        "/users/me/sources",
        &component,
        &source.path(""),
        &source.path("/event_summaries"),
        &talker.path("/logs"),
    ] {
        let whole = api.get(path).await.expect(200);
        let all = field_names(item(&whole));
        let (first, last) = (all[0], all[all.len() - 1]);
        let cases = [
            (format!("include={first}"), vec![first]),
            (format!("include={last},{first},unknown"), vec![first, last]),
            (format!("include=%20{first}%20,"), vec![first]),
            (format!("exclude={last}"), all[..all.len() - 1].to_vec()),
            (format!("exclude={first},unknown"), all[1..].to_vec()),
            (
                format!("include={first},{last}&exclude={last}"),
                vec![first],
            ),
            ("include=unknown".to_owned(), vec![]),
            ("include=&exclude=".to_owned(), all.clone()),
        ];
        for (query, expected) in cases {
            let cut = api.get(&format!("{path}?{query}")).await.expect(200);
            assert_eq!(field_names(item(&cut)), expected, "{path}?{query}");
            assert_eq!(cut["page_info"], whole["page_info"], "{path}?{query}");
        }
    }
}

#[tokio::test]
async fn post_and_put_take_include_and_exclude_in_the_body() {
    let api = new_user().await;
    let operator = server().await.operator();
    let source = deploy(&api, EMITTER).await;
    let code = json!({ "component_code": IDLE });
    let user = json!({ "username": unique_name(), "email": "a@b.c" });
    for (api, method, path, mut body) in [
        (&api, Method::POST, "/components", code.clone()),
        (&api, Method::POST, "/sources", code),
        (&api, Method::PUT, &source.path(""), json!({ "name": "x" })),
        (
            &api,
            Method::POST,
            &source.path("/run"),
            json!({ "event": { "emits": [] } }),
        ),
        (&operator, Method::POST, "/users", user),
    ] {
        body["include"] = json!("id,name");
        body["exclude"] = json!("name");
        let answer = api.request(method, path).json(&body).send().await.ok();
        assert_eq!(field_names(&answer), ["id"], "{path}");
    }
}

#[tokio::test]
async fn post_takes_include_in_the_query_string_too_and_the_body_wins() {
    let api = new_user().await;
    let body = json!({ "component_code": IDLE });
    let component = api.post("/components?include=name", &body).await.ok();
    assert_eq!(component, json!({ "name": "Idle" }));
    let body = json!({ "component_code": IDLE, "include": "version" });
    let component = api.post("/components?include=name", &body).await.ok();
    assert_eq!(component, json!({ "version": "0.0.1" }));
}

#[tokio::test]
async fn the_registry_takes_include_and_exclude() {
    let operator = server().await.operator();
    let key = format!("fields-{}", unique_name());
    let code = IDLE.replace(r#""version": "#, &format!(r#""key": "{key}", "version": "#));
    let saved = operator
        .post(
            "/components",
            &json!({ "component_code": code, "include": "id" }),
        )
        .await
        .ok();
    let body = json!({ "component_id": saved["id"], "include": "id,key", "exclude": "id" });
    assert_eq!(
        operator.post("/components/registry", &body).await.ok(),
        json!({ "key": key })
    );
    let found = operator
        .get(&format!("/components/registry/{key}?include=key"))
        .await
        .ok();
    assert_eq!(found, json!({ "key": key }));
}

#[tokio::test]
async fn fields_inside_a_payload_are_not_touched() {
    let source = deploy(&new_user().await, EMITTER).await;
    super::fixtures::emit(&source, &[json!([{ "id": 1, "name": "x", "event": 2 }])]).await;
    let path = source.path("/event_summaries?include=event&exclude=name,id");
    let summary = source.api.get(&path).await.ok();
    assert_eq!(
        summary,
        json!([{ "event": { "id": 1, "name": "x", "event": 2 } }])
    );
}

#[tokio::test]
async fn include_and_exclude_are_text() {
    let api = new_user().await;
    for field in ["include", "exclude"] {
        for value in [json!(1), json!(["id"]), json!({})] {
            let body = json!({ "component_code": IDLE, field: value });
            let error = super::fixtures::refused(api.post("/components", &body).await, 400);
            assert!(error.contains(field), "{error}");
        }
    }
}
