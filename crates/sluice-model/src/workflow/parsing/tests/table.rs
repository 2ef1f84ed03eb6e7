//! A good document with one value changed, and who takes it then.

use serde_json::{Value, json};

use super::{
    good::EVERYTHING,
    schema::{as_json, validate},
    *,
};

/// At `pointer`, the parser and the schema take these values.
struct Row {
    pointer: &'static str,
    accepted: Value,
    rejected: Value,
    /// The schema cannot tell what is wrong with these.
    rejected_by_parser: Value,
}

fn row(pointer: &'static str, accepted: Value, rejected: Value, rejected_by_parser: Value) -> Row {
    Row {
        pointer,
        accepted,
        rejected,
        rejected_by_parser,
    }
}

fn workflow() -> Vec<Row> {
    let step = json!({ "name": "a", "code": "x" });
    vec![
        row(
            "/name",
            json!(["x", "😀"]),
            json!(["", " ", "\u{feff}", 5, null, []]),
            json!(["a\0"]),
        ),
        row(
            "/description",
            json!(["", "x"]),
            json!([null, 5, {}]),
            json!([]),
        ),
        row("/unknown", json!([]), json!([1, null]), json!([])),
        row("/env", json!([null, {}]), json!([[], "x"]), json!([])),
        row(
            "/env/_New1",
            json!(["", 1, 1.5, true, { "secret": true }]),
            json!([null, [], {}, { "secret": false }, { "secret": "yes" }, { "secret": true, "x": 1 }]),
            json!(["\0"]),
        ),
        row("/env/PIPEDREAM_X", json!([]), json!(["x"]), json!([])),
        row("/env/PIPEDREAM", json!(["x"]), json!([]), json!([])),
        row("/env/__proto__", json!([]), json!(["x"]), json!([])),
        row("/env/1A", json!([]), json!(["x"]), json!([])),
        row("/env/a-b", json!([]), json!(["x"]), json!([])),
        row("/env/", json!([]), json!(["x"]), json!([])),
        row(
            "/steps",
            json!([[step]]),
            json!([[], null, {}, "x", [null], ["x"], [{}], [{ "name": "a" }], [{ "code": "x" }]]),
            json!([[step, step]]),
        ),
    ]
}

fn triggers() -> Vec<Row> {
    let long = "ä".repeat(300);
    vec![
        row(
            "/triggers",
            json!([null, [], [{ "http": {} }]]),
            json!([{}, "http", ["http"], [null], [{}], [{ "timer": {} }], [{ "http": {} }, { "http": null }],
                [{ "http": {}, "events": { "from": "x" } }]]),
            json!([]),
        ),
        row(
            "/triggers/0/http",
            json!([null, {}, { "custom_response": false }]),
            json!([[], true, { "custom_response": null }, { "custom_response": "yes" }, { "customResponse": true }]),
            json!([]),
        ),
        row(
            "/triggers/1/schedule",
            json!([{ "cron": "@daily" }, { "cron": "* * * * * *" }, { "interval_seconds": 1 }, { "intervalSeconds": 60.0 },
                { "interval_seconds": 31_536_000 }]),
            json!([null, {}, { "cron": 5 }, { "cron": null }, { "interval_seconds": 0 }, { "interval_seconds": 31_536_001 },
                { "interval_seconds": 1.5 }, { "interval_seconds": "60" }, { "interval_seconds": 5, "intervalSeconds": 5 },
                { "interval_seconds": 5, "cron": "@daily" }, { "interval_seconds": 5, "timezone": "UTC" },
                { "timezone": "UTC" }, { "cron": "@daily", "timezone": null }, { "cron": "@daily", "every": 5 }]),
            json!([{ "cron": "" }, { "cron": "61 * * * *" }, { "cron": "@daily", "timezone": "Mars/Base" }]),
        ),
        row(
            "/triggers/3/events/from",
            json!(["x", "dc_*", "p_*", "dc_a1", "p_Zz9", "my-source-2"]),
            json!([
                "",
                "*",
                "dc_",
                "p_**",
                "dc_a-b",
                "sc_a",
                "My Source",
                " x",
                5,
                null
            ]),
            json!([]),
        ),
        row(
            "/triggers/3/events/event_name",
            json!(["", "default", "$errors", "$logs", "any thing", "a$"]),
            json!(["$", "$error", "$errors2", 5, null, "x".repeat(501)]),
            json!([long]),
        ),
        row(
            "/triggers/3/events/name",
            json!([]),
            json!(["x"]),
            json!([]),
        ),
    ]
}

fn steps() -> Vec<Row> {
    vec![
        row(
            "/steps/0/name",
            json!(["a", "_", "A1_b", "x".repeat(64), "triggers"]),
            json!([
                "",
                "trigger",
                "__proto__",
                "1a",
                "a-b",
                "a b",
                "ä",
                "x".repeat(65),
                5,
                null
            ]),
            json!(["note"]),
        ),
        row(
            "/steps/0/code",
            json!(["x"]),
            json!(["", " \n", 5, null, []]),
            json!(["\0"]),
        ),
        row("/steps/0/file", json!([]), json!(["x.js", null]), json!([])),
        row("/steps/0/uses", json!([]), json!(["x"]), json!([])),
        row(
            "/steps/1/file",
            json!([
                "a.mjs",
                "./a.mjs",
                "lib/../a.js",
                "..a",
                "a/..b/c.ts",
                "a b.js"
            ]),
            json!([
                "",
                "/a.js",
                "../a.js",
                "..",
                "a/",
                "a\\b.js",
                "https://a/b.js",
                5,
                null
            ]),
            json!([" ", ".", "./..", "a/../../b.js"]),
        ),
        row(
            "/steps/2/action",
            json!(["sc_a", "a-b"]),
            json!(["", " ", 5, null]),
            json!([]),
        ),
        row(
            "/steps/2/props",
            json!([null, {}, { "a b": [1, null, { "": "x {{ y }}" }] }, { "a": "}}" }, { "a": 1.5e300 }]),
            json!([[], "x", 5]),
            json!([{ "a": "{{" }, { "a": ["{{ }}"] }, { "a": 9_007_199_254_740_993_i64 }, { "a": "\0" }]),
        ),
        row(
            "/steps/0/timeout_seconds",
            json!([1, 3600, 1e1]),
            json!([0, 3601, 1.5, "5", null]),
            json!([]),
        ),
        row(
            "/steps/0/retry",
            json!([{ "max_retries": 0 }, { "max_retries": 100, "delay_seconds": 86_400 }, { "max_retries": 1, "max_delay_seconds": 10 }]),
            json!([null, {}, 3, { "delay_seconds": 1 }, { "max_retries": 101 }, { "max_retries": -1 },
                { "max_retries": 1, "delay_seconds": 86_401 }, { "max_retries": 1, "max_delay_seconds": "1" }, { "max_retries": 1, "jitter": 1 }]),
            json!([{ "max_retries": 1, "delay_seconds": 20, "max_delay_seconds": 10 }]),
        ),
    ]
}

fn settings() -> Vec<Row> {
    vec![
        row(
            "/settings",
            json!([null, {}]),
            json!([[], 5, { "timeout": 5 }]),
            json!([]),
        ),
        row(
            "/settings/timeout_seconds",
            json!([1, 3600]),
            json!([0, 3601, null]),
            json!([]),
        ),
        row(
            "/settings/concurrency",
            json!([1, 1000]),
            json!([0, 1001, 1.5, "1", null]),
            json!([]),
        ),
        row(
            "/settings/queue",
            json!([1, 1_000_000]),
            json!([0, 1_000_001, null]),
            json!([]),
        ),
        row(
            "/settings/throttle",
            json!([{ "limit": 0, "interval_seconds": 1 }, { "limit": 10_000, "interval_seconds": 86_400 }]),
            json!([null, {}, { "limit": 1 }, { "interval_seconds": 1 }, { "limit": 10_001, "interval_seconds": 1 },
                { "limit": 1, "interval_seconds": 0 }, { "limit": 1, "interval_seconds": 86_401 }, { "limit": 1, "interval_seconds": 1, "x": 1 }]),
            json!([]),
        ),
    ]
}

/// The good document with `value` at `pointer`.
fn changed(pointer: &str, value: &Value) -> Value {
    let mut document = as_json(EVERYTHING);
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = document.pointer_mut(parent).expect("an object");
    parent[key] = value.clone();
    document
}

#[test]
fn parser_and_schema_accept_and_reject_the_same() {
    let rows = [workflow(), triggers(), steps(), settings()];
    let mut cases = Vec::new();
    for row in rows.iter().flatten() {
        let values = [
            (&row.accepted, true, true),
            (&row.rejected, false, false),
            (&row.rejected_by_parser, false, true),
        ];
        for (values, by_parser, by_schema) in values {
            for value in values.as_array().expect("a list") {
                cases.push((row.pointer, value, by_parser, by_schema));
            }
        }
    }
    let documents: Vec<_> = cases
        .iter()
        .map(|(pointer, value, ..)| changed(pointer, value))
        .collect();
    let verdicts = validate(&documents).documents;
    for ((case, document), schema_errors) in cases.iter().zip(&documents).zip(verdicts) {
        let (pointer, value, by_parser, by_schema) = case;
        let parsed = parse(&document.to_string()).map(|_| ());
        assert_eq!(parsed.is_ok(), *by_parser, "{pointer}: {value}: {parsed:?}");
        assert_eq!(
            schema_errors.is_empty(),
            *by_schema,
            "{pointer}: {value}: {schema_errors:?}"
        );
    }
}
