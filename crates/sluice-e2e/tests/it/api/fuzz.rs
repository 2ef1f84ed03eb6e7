//! Random requests at every endpoint, on both databases: whatever comes, no answer is a 5xx.
//!
//! The time is fixed rather than the number of cases, so that a slow machine tries fewer.

use std::time::{Duration, Instant};

use proptest::{
    collection::{btree_map, vec},
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Backend, Method, Server, raw_http};
use tokio::runtime::Runtime;

use super::{
    fixtures::{EMITTER, escaped},
    hostile::check,
    hostile_http::status,
};
use crate::{
    support::{Deployed, deploy, own_server},
    workflows::fixtures as workflows,
};

const TIME: Duration = Duration::from_secs(3);

/// Fields and parameters that some endpoint takes.
const NAMES: [&str; 57] = [
    "api_key",
    "component_id",
    "component_code",
    "component_url",
    "key",
    "name",
    "configured_props",
    "active",
    "event",
    "include",
    "exclude",
    "username",
    "email",
    "plan",
    "limit",
    "after",
    "before",
    "expand",
    "event_name",
    "start_id",
    "end_id",
    "ignore_hook_errors",
    "id",
    "prop_name",
    "dynamic_props_id",
    "source_id",
    "page",
    "prev_context",
    "query",
    "scope",
    "app",
    "type",
    "similarity_threshold",
    "emitter_id",
    "listener_id",
    "url",
    "description",
    "concurrency",
    "state",
    "since",
    "until",
    "q",
    "n",
    "retention",
    "event_id",
    "document",
    "files",
    "tree",
    "components",
    "left",
    "path",
    "secrets",
    "version",
    "from",
    "hours",
    "step",
    "webhook_id",
];

/// Text that has broken servers before.
const NASTY: [&str; 28] = [
    "",
    "\0",
    "a\0b",
    "%00",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "NaN",
    "9223372036854775808",
    "1-0",
    "-1-0",
    "99999999999999999999-0",
    "dc_unknown",
    "sc_unknown",
    "../../etc/passwd",
    "'; DROP TABLE sources; --",
    "\"",
    "\\",
    "\u{202e}",
    "\u{feff}",
    "\u{fffd}",
    "🦀",
    "$errors",
    "http://127.0.0.1:1/",
    "http://[::1]:1/",
    "file:///etc/passwd",
];

#[derive(Debug, Clone)]
struct RandomRequest {
    method: Method,
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&NASTY[..]).prop_map(str::to_owned),
        3 => ".{0,12}",
        1 => "[a-z]{1000,3000}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![5 => select(&NAMES[..]).prop_map(str::to_owned), 1 => text()]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(name(), inner, 0..5).prop_map(|fields| json!(fields)),
        ]
    })
}

/// An object of known fields as JSON, sometimes damaged.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let fields = btree_map(name(), json_value(), 0..4).prop_map(|fields| json!(fields));
    let whole = prop_oneof![6 => fields, 1 => json_value()]
        .prop_map(|value| value.to_string().into_bytes());
    prop_oneof![
        6 => whole.clone(),
        1 => (whole.clone(), any::<prop::sample::Index>()).prop_map(|(bytes, at)| bytes[..at.index(bytes.len())].to_vec()),
        1 => (whole.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        }),
        1 => whole.prop_map(|bytes| String::from_utf8_lossy(&bytes).replace('a', r"\ud83d").into_bytes()),
        1 => vec(any::<u8>(), 0..40),
        1 => Just(Vec::new()),
    ]
}

/// `{id}` stands for a source that exists. That source itself is never deleted, or nothing would be left to try.
fn path() -> impl Strategy<Value = (Method, String)> {
    let known = select(vec![
        (Method::GET, "/v1/users/me"),
        (Method::POST, "/v1/users"),
        (Method::GET, "/v1/users"),
        (Method::POST, "/v1/signup"),
        (Method::POST, "/v1/components"),
        (Method::GET, "/v1/components"),
        (Method::POST, "/v1/components/configure"),
        (Method::POST, "/v1/components/props"),
        (Method::POST, "/v1/components/registry"),
        (Method::POST, "/v1/components/registry/imports"),
        (Method::GET, "/v1/components/registry/imports"),
        (Method::POST, "/v1/sources"),
        (Method::POST, "/v1/sources"),
        (Method::GET, "/v1/users/me/sources"),
        (Method::GET, "/v1/sources/{id}"),
        (Method::PUT, "/v1/sources/{id}"),
        (Method::PUT, "/v1/sources/{id}"),
        (Method::POST, "/v1/sources/{id}/run"),
        (Method::GET, "/v1/sources/{id}/versions"),
        (Method::POST, "/v1/sources/{id}/rollback"),
        (Method::GET, "/v1/sources/{id}/event_summaries"),
        (Method::GET, "/v1/sources/{id}/events"),
        (Method::DELETE, "/v1/sources/{id}/events"),
        (Method::POST, "/v1/sources/{id}/events/replay"),
        (Method::GET, "/v1/sources/{id}/logs"),
        (Method::POST, "/v1/subscriptions"),
        (Method::DELETE, "/v1/subscriptions"),
        (Method::GET, "/v1/users/me/subscriptions"),
        (Method::POST, "/v1/auto_subscriptions"),
        (Method::POST, "/v1/webhooks"),
        (Method::GET, "/v1/users/me/webhooks"),
        (Method::GET, "/v1/accounts/apn_unknown/uses"),
        (Method::GET, "/v1/deliveries"),
        (Method::GET, "/v1/users/me/flow"),
        (Method::GET, "/v1/server"),
        (Method::POST, "/v1/deliveries/replay"),
        (Method::POST, "/v1/workflows"),
        (Method::POST, "/v1/workflows"),
        (Method::GET, "/v1/workflows"),
        (Method::PUT, "/v1/workflows/{workflow}"),
        (Method::PUT, "/v1/workflows/{workflow}"),
        (Method::POST, "/v1/workflows/{workflow}/run"),
        (Method::POST, "/v1/workflows/{workflow}/rollback"),
        (Method::GET, "/v1/workflows/{workflow}/runs"),
        (Method::POST, "/v1/workflows/{workflow}/runs/replay"),
        (Method::GET, "/v1/workflows/{workflow}/event_summaries"),
        (Method::POST, "{endpoint}"),
    ]);
    let named = select(vec![
        (Method::GET, "/v1/components/"),
        (Method::GET, "/v1/components/registry/"),
        (Method::GET, "/v1/sources/"),
        (Method::DELETE, "/v1/sources/dc_"),
        (Method::PUT, "/v1/sources/dc_"),
        (Method::GET, "/v1/sources/{id}/events/"),
        (Method::DELETE, "/v1/users/u_"),
        (Method::GET, "/v1/webhooks/"),
        (Method::PUT, "/v1/webhooks/wh_"),
        (Method::DELETE, "/v1/webhooks/wh_"),
        (Method::GET, "/v1/deliveries/"),
        (Method::GET, "/v1/workflows/"),
        (Method::DELETE, "/v1/workflows/p_"),
        (Method::GET, "/v1/workflows/{workflow}/runs/"),
        (Method::GET, "/v1/workflows/{workflow}/events/"),
        (Method::GET, "/v1/workflows/{workflow}/versions/"),
        (Method::POST, "/workflows/resume/"),
        (Method::GET, "/workflows/cancel/"),
        (Method::GET, "/v1/"),
        (Method::GET, "/uploads/"),
        (Method::PUT, "/e/"),
        (Method::GET, "{endpoint}/"),
    ]);
    prop_oneof![
        5 => known.prop_map(|(method, path)| (method, path.to_owned())),
        2 => (named, text()).prop_map(|((method, path), text)| (method, format!("{path}{}", escaped(&text)))),
    ]
}

/// Names and values that a client library lets pass.
fn header() -> impl Strategy<Value = (String, String)> {
    let names = select(vec![
        "x-request-id",
        "accept",
        "accept-encoding",
        "cookie",
        "range",
        "if-none-match",
        "x-forwarded-for",
        "expect-ct",
        "origin",
        "access-control-request-method",
        "x-http-method-override",
        "content-encoding",
    ]);
    (names.prop_map(str::to_owned), "[ -~]{0,30}")
}

fn content_type() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just("application/json".to_owned()),
        1 => select(vec![
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x",
            "application/json; charset=utf-16", "image/png",
        ]).prop_map(str::to_owned),
        1 => "[ -~]{0,20}",
    ]
}

fn request() -> impl Strategy<Value = RandomRequest> {
    let parts = (
        path(),
        vec((name(), text()), 0..4),
        vec(header(), 0..3),
        content_type(),
        body(),
    );
    parts.prop_map(|((method, path), query, mut headers, content_type, body)| {
        headers.push(("content-type".to_owned(), content_type));
        RandomRequest {
            method,
            path,
            query,
            headers,
            body,
        }
    })
}

async fn send(api: &Api, source: &Deployed, workflow: &str, random: &RandomRequest) -> Answer {
    let RandomRequest {
        method,
        path,
        query,
        headers,
        body,
    } = random;
    let endpoint = source
        .endpoint()
        .find("/e/")
        .map(|at| &source.endpoint()[at..])
        .expect("an endpoint");
    let path = path
        .replace("{id}", &source.id)
        .replace("{workflow}", workflow)
        .replace("{endpoint}", endpoint);
    let query: Vec<String> = query
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect();
    let key = format!("Bearer {}", api.key());
    let mut request = api
        .root(method.clone(), &format!("{path}?{}", query.join("&")))
        .header("authorization", &key);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body(body.clone()).send().await
}

/// Bytes that begin like a request and end like one; between, anything goes.
fn raw_request(key: &str) -> impl Strategy<Value = Vec<u8>> {
    let known =
        |texts: &'static [&'static str]| select(texts).prop_map(|text| text.as_bytes().to_vec());
    let noise = || vec(any::<u8>(), 0..10);
    let method =
        prop_oneof![3 => known(&["GET", "POST", "PUT", "DELETE", "OPTIONS"]), 1 => noise()];
    let target = prop_oneof![
        3 => known(&["/v1/users/me", "/v1/sources", "/v1/components/x", "/e/x", "*"]),
        1 => noise(),
        1 => noise().prop_map(|noise| [b"/v1/sources/", &noise[..]].concat()),
    ];
    let version = prop_oneof![6 => Just(b"HTTP/1.1".to_vec()), 1 => noise()];
    let name =
        prop_oneof![3 => known(&["x-request-id", "accept", "cookie", "host", "x"]), 1 => noise()];
    let header =
        (name, noise()).prop_map(|(name, value)| [&name[..], b": ", &value, b"\r\n"].concat());
    let first = format!("Connection: close\r\nAuthorization: Bearer {key}\r\n").into_bytes();
    let parts = (method, target, version, vec(header, 0..4));
    parts.prop_map(move |(method, target, version, headers)| {
        let line = [&method[..], b" ", &target, b" ", &version, b"\r\n"].concat();
        [line, first.clone(), headers.concat(), b"\r\n".to_vec()].concat()
    })
}

/// Tries random values until the time is over, and shrinks the first that fails.
fn for_some_time<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), String>) {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        max_shrink_time: 20_000,
        ..Config::default()
    });
    let end = Instant::now() + TIME;
    while Instant::now() < end {
        let case = strategy.new_tree(&mut runner).expect("a value");
        let outcome = runner.run_one(case, |value| test(value).map_err(TestCaseError::fail));
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }
}

fn assert_unharmed(server: &Server, runtime: &Runtime) {
    let logs = server.logs();
    assert!(!logs.contains("panicked"), "{logs}");
    let health = server.api().root(Method::GET, "/healthz");
    runtime.block_on(health.send()).expect(200);
}

#[rstest]
fn random_requests_are_never_answered_with_a_5xx(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let runtime = Runtime::new().expect("a runtime");
    let server = Server::start_blocking(own_server().on(backend));
    // The operator, because nobody else gets past the door of every endpoint.
    let api = server.api();
    let source = runtime.block_on(deploy(&api, EMITTER));
    let workflow = runtime
        .block_on(workflows::deploy(&api, workflows::ECHO))
        .id;
    for_some_time(&request(), |random| {
        check(&runtime.block_on(send(&api, &source, &workflow, &random)))
    });
    assert_unharmed(&server, &runtime);
}

#[rstest]
fn random_bytes_are_never_answered_with_a_5xx(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let runtime = Runtime::new().expect("a runtime");
    let server = Server::start_blocking(own_server().on(backend));
    for_some_time(&raw_request(server.api_key()), |bytes| {
        let answer = runtime.block_on(raw_http(server.addr(), &bytes));
        match status(&answer) {
            Some(500..) => Err(String::from_utf8_lossy(&answer).into_owned()),
            _ => Ok(()),
        }
    });
    assert_unharmed(&server, &runtime);
}
