//! `$.send`.

use serde_json::json;

use crate::support::run;

#[tokio::test]
async fn each_destination_takes_its_parameters() {
    let ran = run(
        "await $.send.http({ method: 'POST', url: 'https://a.test/x', data: { a: 1 }, headers: { h: 'v' }, params: { q: 1 }, auth: { username: 'u', password: 'p' } });
         $.send.email({ subject: 's', text: 't', html: '<p>', include_collaborators: true });
         $.send.s3({ bucket: 'b', prefix: 'p/', payload: { a: 1 } });
         $.send.emit({ raw_event: { a: 1 } });
         $.send.emit({ a: 2 }, 'channel');
         $.send.emit('text', 'default');
         $.send.emit({ raw_event: 1 }, 'both');
         $.send.sse({ channel: 'c', payload: [1] });",
    )
    .await;
    ran.ok();
    assert_eq!(
        ran.sends(),
        [
            (
                "http",
                json!({ "method": "POST", "url": "https://a.test/x", "data": { "a": 1 }, "headers": { "h": "v" }, "params": { "q": 1 }, "auth": { "username": "u", "password": "p" } })
            ),
            (
                "email",
                json!({ "subject": "s", "text": "t", "html": "<p>" })
            ),
            (
                "s3",
                json!({ "bucket": "b", "prefix": "p/", "payload": { "a": 1 } })
            ),
            ("emit", json!({ "raw_event": { "a": 1 }, "channel": "" })),
            (
                "emit",
                json!({ "raw_event": { "a": 2 }, "channel": "channel" })
            ),
            ("emit", json!({ "raw_event": "text", "channel": "" })),
            (
                "emit",
                json!({ "raw_event": { "raw_event": 1 }, "channel": "both" })
            ),
            ("sse", json!({ "channel": "c", "payload": [1] })),
        ]
    );
}

#[tokio::test]
async fn bad_parameters_throw_in_code_and_nothing_is_sent() {
    for (call, message) in [
        (
            "http({ url: 'https://a.test' })",
            "$send.http: invalid value undefined for method",
        ),
        (
            "http({ method: 'get', url: 'https://a.test' })",
            "$send.http: invalid value get for method",
        ),
        (
            "http({ method: 'GET' })",
            "$send.http: invalid value undefined for url",
        ),
        (
            "http({ method: 'GET', url: 'file:///etc' })",
            "$send.http: invalid value file:///etc for url",
        ),
        (
            "http({ method: 'GET', url: '/x' })",
            "$send.http: invalid value /x for url",
        ),
        (
            "http({ method: 'GET', url: 'https://a.test', headers: 'h' })",
            "$send.http: invalid value h for headers",
        ),
        (
            "http({ method: 'GET', url: 'https://a.test', params: [1] })",
            "$send.http: invalid value [1] for params",
        ),
        (
            "http({ method: 'GET', url: 'https://a.test', auth: { username: 1 } })",
            "$send.http: invalid value {\"username\":1} for auth",
        ),
        (
            "http()",
            "$send.http: invalid value undefined for its parameters",
        ),
        (
            "email({ subject: 1 })",
            "$send.email: invalid value 1 for subject",
        ),
        (
            "s3({ prefix: 'p', payload: 1 })",
            "$send.s3: invalid value undefined for bucket",
        ),
        (
            "s3({ bucket: 'b', payload: 1 })",
            "$send.s3: invalid value undefined for prefix",
        ),
        (
            "s3({ bucket: 'b', prefix: 'p' })",
            "$send.s3: invalid value undefined for payload",
        ),
        (
            "emit()",
            "$send.emit: invalid value undefined for raw_event",
        ),
        (
            "emit(1, '$errors')",
            "$send.emit: invalid value $errors for channel",
        ),
        ("emit(1, 2)", "$send.emit: invalid value 2 for channel"),
        (
            "sse({ payload: 1 })",
            "$send.sse: invalid value undefined for channel",
        ),
        (
            "sse({ channel: '$x', payload: 1 })",
            "$send.sse: invalid value $x for channel",
        ),
        (
            "sse({ channel: 'c' })",
            "$send.sse: invalid value undefined for payload",
        ),
    ] {
        let ran = run(&format!("await $.send.{call}")).await;
        assert_eq!(ran.failure().message, message);
        assert_eq!(ran.failure().name, "TypeError");
        assert!(ran.sends().is_empty());
    }
}

#[tokio::test]
async fn what_is_sent_must_be_json() {
    let ran = run("await $.send.sse({ channel: 'c', payload: { n: 1n } })").await;
    assert_eq!(ran.failure().name, "ExportError");
}
