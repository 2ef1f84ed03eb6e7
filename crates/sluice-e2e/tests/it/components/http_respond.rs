//! `respond`: the forms it takes, and what the client gets.

use serde_json::json;
use sluice_testkit::{Answer, Method};

use super::responder;
use crate::support::{Deployed, deploy, new_user};

/// A source that responds with what the expression in the path's last part is in `cases`.
async fn with_cases(cases: &str) -> Deployed {
    let code = responder(&format!(
        "const cases = {{ {cases} }}; await this.http.respond(cases[event.path.slice(1)]());"
    ));
    deploy(&new_user().await, &code).await
}

async fn get(source: &Deployed, case: &str) -> Answer {
    source
        .api
        .absolute(Method::GET, &format!("{}/{case}", source.endpoint()))
        .send()
        .await
}

#[tokio::test]
async fn a_status_may_be_a_number_a_numeric_string_or_status_code() {
    let source = with_cases(
        "number: () => ({ status: 201 }), string: () => ({ status: '202' }), code: () => ({ statusCode: 203 }),
         both: () => ({ status: 299, statusCode: 500 }), teapot: () => ({ status: 418 }), last: () => ({ status: 599 })",
    )
    .await;
    for (case, status) in [
        ("number", 201),
        ("string", 202),
        ("code", 203),
        ("both", 299),
        ("teapot", 418),
        ("last", 599),
    ] {
        let answer = get(&source, case).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (status, ""),
            "{case}"
        );
    }
}

#[tokio::test]
async fn a_status_that_is_none_is_an_error_in_the_component() {
    let source = with_cases(
        "none: () => ({}), text: () => ({ status: 'ok' }), low: () => ({ status: 99 }), high: () => ({ status: 600 }),
         half: () => ({ status: 200.5 }), nothing: () => undefined",
    )
    .await;
    for case in ["none", "text", "low", "high", "half", "nothing"] {
        let body = get(&source, case).await.expect(400);
        let error = body["error"].as_str().unwrap_or_default();
        assert!(
            error.contains("respond needs a status from 100 to 599"),
            "{case}: {error}"
        );
    }
}

#[tokio::test]
async fn a_body_may_be_a_string_an_object_or_a_buffer() {
    let source = with_cases(
        "string: () => ({ status: 200, body: 'ä 🦀' }), object: () => ({ status: 200, body: { a: [1] } }), array: () => ({ status: 200, body: [1, 'x'] }),
         buffer: () => ({ status: 200, body: Buffer.from('ff00fe', 'hex') }), bytes: () => ({ status: 200, body: new Uint8Array([1, 2, 3]).subarray(1) }),
         raw: () => ({ status: 200, body: new Uint8Array([7, 8]).buffer }), empty: () => ({ status: 200, body: '' }), nothing: () => ({ status: 200, body: null })",
    )
    .await;
    let cases: [(&str, &[u8]); 8] = [
        ("string", "ä 🦀".as_bytes()),
        ("object", br#"{"a":[1]}"#),
        ("array", br#"[1,"x"]"#),
        ("buffer", b"\xff\x00\xfe"),
        ("bytes", b"\x02\x03"),
        ("raw", b"\x07\x08"),
        ("empty", b""),
        ("nothing", b""),
    ];
    for (case, body) in cases {
        let answer = get(&source, case).await;
        assert_eq!((answer.status, &answer.bytes[..]), (200, body), "{case}");
    }
}

#[tokio::test]
async fn an_object_is_json_unless_the_component_names_another_type() {
    let source = with_cases(
        "plain: () => ({ status: 200, body: {} }), own: () => ({ status: 200, body: {}, headers: { 'Content-Type': 'application/ld+json' } }),
         text: () => ({ status: 200, body: '<p>', headers: { 'content-type': 'text/html' } })",
    )
    .await;
    let content_type = async |case| {
        get(&source, case)
            .await
            .header("content-type")
            .map(str::to_owned)
    };
    assert!(
        content_type("plain")
            .await
            .is_some_and(|name| name.starts_with("application/json"))
    );
    assert_eq!(
        content_type("own").await.as_deref(),
        Some("application/ld+json")
    );
    assert_eq!(content_type("text").await.as_deref(), Some("text/html"));
}

#[tokio::test]
async fn headers_go_out_as_given_and_none_breaks_the_answer() {
    let source = with_cases(
        r#"h: () => ({ status: 200, body: "ok", headers: {
            "X-One": 1, "set-cookie": ["a=1", "b=2"], "x-none": undefined, "x-null": null,
            "content-length": "999", "transfer-encoding": "chunked", "bad name": "x", "x-split": "a\r\nx-evil: 1" } }),
           map: () => ({ status: 200, headers: new Headers({ "x-map": "yes" }) })"#,
    )
    .await;
    let answer = get(&source, "h").await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "ok"));
    assert_eq!(answer.header("x-one"), Some("1"));
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 2);
    for absent in ["x-none", "x-null", "x-split", "x-evil", "bad name"] {
        assert_eq!(answer.header(absent), None, "{absent}");
    }
    assert_eq!(get(&source, "map").await.header("x-map"), Some("yes"));
}

#[tokio::test]
async fn the_first_respond_wins() {
    let source = deploy(
        &new_user().await,
        &responder("this.http.respond({ status: 201, body: 'first' }); this.http.respond({ status: 500, body: 'second' }); throw new Error('later');"),
    )
    .await;
    let answer = source.send(&json!({})).await;
    assert_eq!((answer.status, answer.text.as_str()), (201, "first"));
}

#[tokio::test]
async fn the_client_is_answered_when_respond_is_called_and_not_when_run_ends() {
    let code = "let open; const opened = new Promise((resolve) => { open = resolve; });\n"
        .to_owned()
        + &responder(
            "this.http.respond({ status: 200 }); if (event.path === '/open') return open(); await opened; this.$emit('after');",
        );
    let source = deploy(&new_user().await, &code).await;
    source.send(&json!({})).await.expect(200);
    assert!(source.summaries().await.is_empty());
    get(&source, "open").await.expect(200);
    assert_eq!(source.events(1).await, [json!("after")]);
}

#[tokio::test]
async fn respond_may_come_after_the_emits_and_from_a_method() {
    let code = r#"module.exports = { name: "T", version: "1", props: { http: { type: "$.interface.http", customResponse: true } },
        methods: { answer(status) { const { respond } = this.http; return respond({ status }); } },
        async run(event) { this.$emit(event.body); await null; await this.answer(202); } };"#;
    let source = deploy(&new_user().await, code).await;
    source.send(&json!("x")).await.expect(202);
    assert_eq!(source.events(1).await, [json!("x")]);
}
