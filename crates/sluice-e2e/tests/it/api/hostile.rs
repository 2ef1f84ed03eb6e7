//! Hostile requests, one by one: each gets a documented refusal, never a 500, and the server goes on.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Answer, Api, Backend, Method, Request};

use super::fixtures::{EMITTER, IDLE, idle_source, refused, save};
use crate::support::{deploy, new_user_on, shared_server, unique_name};

/// What a refusal may be.
pub(super) const REFUSALS: [u16; 10] = [400, 401, 404, 405, 408, 409, 413, 415, 422, 429];

/// Whether an answer is a success or a documented refusal; the fault otherwise.
pub(super) fn check(answer: &Answer) -> Result<(), String> {
    let Answer { status, text, .. } = answer;
    if answer.header("x-request-id").is_none() {
        return Err(format!("{status} without a request id: {text}"));
    }
    match status {
        200..300 => Ok(()),
        status if REFUSALS.contains(status) && answer.body["error"].is_string() => Ok(()),
        status => Err(format!("{status}: {text}")),
    }
}

fn json_request(api: &Api, method: Method, path: &str, body: impl Into<Vec<u8>>) -> Request {
    api.request(method, path)
        .header("Content-Type", "application/json")
        .body(body.into())
}

#[rstest]
#[tokio::test]
async fn lone_surrogates_in_any_text_field_are_400(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let source = idle_source(&api).await;
    for field in [
        "component_id",
        "component_code",
        "component_url",
        "key",
        "name",
        "include",
    ] {
        for surrogate in [r"\ud800", r"\udfff", r"\ud800\ud800", r"x\udbff"] {
            let body = format!(r#"{{"{field}": "{surrogate}"}}"#);
            refused(
                json_request(&api, Method::POST, "/sources", body.clone())
                    .send()
                    .await,
                400,
            );
            refused(
                json_request(&api, Method::PUT, &source.path(""), body)
                    .send()
                    .await,
                400,
            );
        }
    }
    let in_a_name = r#"{"\ud800": 1}"#;
    refused(
        json_request(&api, Method::POST, "/sources", in_a_name)
            .send()
            .await,
        400,
    );
    let in_props = r#"{"configured_props": {"a": "\ud800"}}"#;
    refused(
        json_request(&api, Method::PUT, &source.path(""), in_props)
            .send()
            .await,
        400,
    );
}

#[rstest]
#[tokio::test]
async fn a_lone_surrogate_in_an_event_is_replaced_so_that_every_reader_can_read_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, EMITTER).await;
    let body = r#"{"event": {"emits": [["\ud800 \u0000 end"]]}}"#;
    json_request(&source.api, Method::POST, &source.path("/run"), body)
        .send()
        .await
        .expect(200);
    assert_eq!(source.events(1).await, ["\u{fffd} \0 end"]);
}

#[rstest]
#[tokio::test]
async fn nul_characters_in_text_fields_are_400(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let operator = shared_server(backend).api();
    let source = idle_source(&api).await;
    for field in [
        "component_id",
        "component_code",
        "component_url",
        "key",
        "name",
    ] {
        let body = json!({ field: "a\0b" });
        refused(api.post("/sources", &body).await, 400);
        refused(api.put(&source.path(""), &body).await, 400);
        refused(
            api.request(Method::PUT, &source.path(&format!("?{field}=a%00b")))
                .send()
                .await,
            400,
        );
    }
    for field in ["username", "email"] {
        let mut body = json!({ "username": unique_name(), "email": "a@b.c" });
        body[field] = json!("a\0b");
        refused(operator.post("/users", &body).await, 400);
    }
    for query in ["event_name=%00", "after=%00", "before=1%00"] {
        refused(
            api.get(&source.path(&format!("/event_summaries?{query}")))
                .await,
            400,
        );
    }
}

#[rstest]
#[tokio::test]
async fn deep_nesting_is_refused_or_ignored_and_overflows_nothing(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let source = idle_source(&api).await;
    let lists = "[".repeat(50_000) + &"]".repeat(50_000);
    let objects = r#"{"a":"#.repeat(20_000) + "1" + &"}".repeat(20_000);
    for deep in [&lists, &objects] {
        for field in ["name", "configured_props", "component_code", "active"] {
            let body = format!(r#"{{"{field}": {deep}}}"#);
            refused(
                json_request(&api, Method::PUT, &source.path(""), body)
                    .send()
                    .await,
                400,
            );
        }
        let props = format!(r#"{{"configured_props": {{"a": {deep}}}}}"#);
        refused(
            json_request(&api, Method::PUT, &source.path(""), props)
                .send()
                .await,
            400,
        );
        let unknown = format!(r#"{{"unknown": {deep}}}"#);
        refused(
            json_request(&api, Method::PUT, &source.path(""), unknown)
                .send()
                .await,
            400,
        );
        let unclosed = &deep[..deep.len() / 2];
        refused(
            json_request(&api, Method::PUT, &source.path(""), unclosed)
                .send()
                .await,
            400,
        );
    }
}

#[rstest]
#[tokio::test]
async fn very_long_text_is_no_harm_in_any_field(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let operator = shared_server(backend).api();
    let source = idle_source(&api).await;
    // Without a pattern, so that no database can press it into a small index entry.
    let mut state = 1_u64;
    let mut letter = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).expect("below 26"))
    };
    let huge: String = (0..100_000).map(|_| letter()).collect();
    for field in [
        "component_id",
        "component_url",
        "key",
        "name",
        "include",
        "exclude",
    ] {
        let body = json!({ field: huge });
        check(&api.post("/sources", &body).await).expect(field);
        check(&api.put(&source.path(""), &body).await).expect(field);
    }
    for field in ["name", "version", "key", "description"] {
        let code = format!(
            r#"module.exports = {{ name: "N", version: "1", run() {{}}, {field}: "{huge}" }};"#
        );
        check(
            &api.post("/components", &json!({ "component_code": code }))
                .await,
        )
        .expect(field);
    }
    for (username, email) in [(huge.clone(), "a@b.c".to_owned()), (unique_name(), huge)] {
        let body = json!({ "username": username, "email": email });
        check(&operator.post("/users", &body).await).expect("a user");
    }
}

#[rstest]
#[tokio::test]
async fn hostile_numbers_in_props_are_refused_or_kept(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let code = IDLE.replace("run", r#"props: { count: "integer", timer: "$.interface.timer", any: { type: "any", optional: true } }, run"#);
    let source = deploy_props(&api, &code).await;
    for number in [
        "1e999",
        "-1e999",
        "1e-999",
        "9223372036854775808",
        "-9223372036854775809",
        "1.5",
        "1e18",
        "-0.0",
        "123456789012345678901234567890",
    ] {
        for props in [
            format!(r#"{{"count": {number}}}"#),
            format!(r#"{{"count": 1, "any": [{number}]}}"#),
            format!(r#"{{"count": 1, "timer": {{"intervalSeconds": {number}}}}}"#),
            format!(r#"{{"count": 1, "timer": {{"cron": {number}}}}}"#),
            format!(r#"{{"count": 1, "timer": {number}}}"#),
        ] {
            let body = format!(r#"{{"configured_props": {props}, "active": false}}"#);
            let answer = json_request(&api, Method::PUT, &source, body.clone())
                .send()
                .await;
            check(&answer).expect(&body);
        }
    }
}

async fn deploy_props(api: &Api, code: &str) -> String {
    let body = json!({ "component_code": code, "configured_props": { "count": 1 } });
    let source = api.post("/sources", &body).await.ok();
    let path = format!("/sources/{}", source["id"].as_str().expect("an id"));
    api.put(&path, &json!({ "active": false }))
        .await
        .expect(200);
    path
}

#[rstest]
#[tokio::test]
async fn hostile_cron_expressions_are_422(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let code = IDLE.replace("run", r#"props: { timer: "$.interface.timer" }, run"#);
    let component = save(&api, &code).await;
    for timer in [
        json!({ "cron": "" }),
        json!({ "cron": "* * *" }),
        json!({ "cron": "99 99 99 99 99" }),
        json!({ "cron": "\0" }),
        json!({ "cron": "* ".repeat(10_000) }),
        json!({ "cron": "0 0 * * *", "timezone": "Nowhere/At All" }),
        json!({ "intervalSeconds": 0 }),
        json!({ "intervalSeconds": -5 }),
        json!({ "intervalSeconds": "soon" }),
        json!({ "intervalSeconds": 60, "cron": "0 0 * * *" }),
        json!({}),
        json!([]),
        json!("hourly"),
    ] {
        let body = json!({ "component_id": component, "configured_props": { "timer": timer } });
        let refusal = api.post("/sources", &body).await.expect(422);
        assert!(
            refusal["details"]["configured_props"].is_array(),
            "{timer}: {refusal}"
        );
    }
}

#[tokio::test]
async fn an_event_that_is_not_json_in_the_query_string_is_text() {
    let api = new_user_on(Backend::Sqlite).await;
    let source = idle_source(&api).await;
    for query in [
        "event=%7B",
        "event=%00",
        "event=%FF",
        "event=%ED%A0%80",
        "event=&event=1",
        "%00=1",
        "&&=&",
        "event",
    ] {
        let answer = api
            .request(Method::POST, &source.path(&format!("/run?{query}")))
            .send()
            .await;
        check(&answer).expect(query);
    }
}
