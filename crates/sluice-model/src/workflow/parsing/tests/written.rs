//! Documents as people might write them: mostly right, with a slip here and there.

use proptest::{
    prelude::*,
    sample::{select, subsequence},
};
use serde_json::{Map, Value, json};

/// An object with all of these fields or some, each with one of its values.
fn object(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let count = fields.len();
    let some = prop_oneof![
        4 => Just(fields.clone()),
        1 => subsequence(fields, 0..=count),
    ];
    some.prop_flat_map(|fields| {
        let (keys, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        values.prop_map(move |values| {
            let keys = keys.iter().map(|key| (*key).to_owned());
            Value::Object(keys.zip(values).collect::<Map<_, _>>())
        })
    })
    .boxed()
}

fn list(item: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let some = prop::collection::vec(item, 0..3).prop_map(Value::Array);
    prop_oneof![9 => some, 1 => select(vec![json!(null), json!({})])].boxed()
}

/// One of the good values most of the time, or anything.
fn mostly(good: Value, other: Value) -> BoxedStrategy<Value> {
    let values = |list: Value| match list {
        Value::Array(values) => select(values),
        value => select(vec![value]),
    };
    prop_oneof![
        60 => values(good),
        2 => values(other),
        1 => values(json!([null, true, 1, -1, 0.5, "", "x", [], {}, ["x"], { "x": 1 }])),
    ]
    .boxed()
}

fn retries() -> BoxedStrategy<Value> {
    let seconds = || mostly(json!([0, 10, 86400.0]), json!([86401, -1, 1.5, "10"]));
    object(vec![
        (
            "max_retries",
            mostly(json!([0, 3, 100, 1e1]), json!([101, "1"])),
        ),
        ("delay_seconds", seconds()),
        ("max_delay_seconds", seconds()),
    ])
}

fn timeouts() -> BoxedStrategy<Value> {
    mostly(json!([1, 3600]), json!([0, 3601, "5"]))
}

fn triggers() -> BoxedStrategy<Value> {
    let http = mostly(
        json!([{ "http": {} }, { "http": null }, { "http": { "custom_response": true } }]),
        json!([{ "http": [] }, { "http": { "custom_response": null } }, { "http": {}, "events": {} }, { "email": {} }]),
    );
    let schedule = object(vec![
        (
            "cron",
            mostly(json!("0 9 * * *"), json!(["61 * * * *", 5, null])),
        ),
        (
            "timezone",
            mostly(json!("Europe/Berlin"), json!(["Mars/Base", null])),
        ),
    ]);
    let schedule = schedule.prop_map(|schedule| json!({ "schedule": schedule }));
    let simple = mostly(
        json!([{ "schedule": { "cron": "@daily" } }, { "schedule": { "intervalSeconds": 31_536_000 } }, { "schedule": { "interval_seconds": 60.0 } }]),
        json!([{ "schedule": { "interval_seconds": 0 } }, { "schedule": { "interval_seconds": 31_536_001 } }, { "schedule": { "interval_seconds": "60" } },
                { "schedule": { "interval_seconds": 5, "cron": "@daily" } }, { "schedule": { "interval_seconds": 5, "timezone": "UTC" } }, { "schedule": { "interval_seconds": 5, "intervalSeconds": 5 } }, { "schedule": null }]),
    );
    let events = object(vec![
        (
            "from",
            mostly(
                json!(["my-source", "dc_*", "p_*", "dc_a1", "p_Zz9"]),
                json!(["*", "dc_", "p_**", "dc_a-b", "My Source", " ", "sc_a"]),
            ),
        ),
        (
            "event_name",
            mostly(
                json!(["", "default", "$errors", "$logs", "own"]),
                json!(["$error", "$"]),
            ),
        ),
    ]);
    let events = events.prop_map(|events| json!({ "events": events }));
    list(prop_oneof![http, schedule, simple, events].boxed())
}

fn steps() -> BoxedStrategy<Value> {
    let names = || {
        mostly(
            json!(["a", "b", "_c1", "Long_name"]),
            json!(["trigger", "__proto__", "1a", "a-b", "a b"]),
        )
    };
    let props = || {
        mostly(
            json!([{}, null, { "a": "{{ event }}" }, { "a b": [1, null, { "c": "x {{ y }}" }] }]),
            json!([{ "a": "{{" }, { "a": "{{ }}" }, [], { "a": 9_007_199_254_740_993_i64 }, { "a": "\0" }]),
        )
    };
    let code = mostly(json!("return 1"), json!([" ", "\n"]));
    let file = mostly(
        json!(["./a.mjs", "lib/../a.js", "..a", "a/..b/c.ts"]),
        json!([
            "../a.js",
            "/a.js",
            "a/../../b.js",
            ".",
            "a/",
            "https://a/b.js",
            "a\\b",
            ".."
        ]),
    );
    let action = mostly(json!(["acme-note", "sc_a"]), json!([" "]));
    let with = |kind: &'static str, code: BoxedStrategy<Value>| {
        object(vec![
            ("name", names()),
            (kind, code),
            ("props", props()),
            ("timeout_seconds", timeouts()),
            ("retry", retries()),
        ])
    };
    let several = select(vec![
        json!({ "name": "a", "code": "x", "file": "x.js" }),
        json!({ "name": "a", "code": "x", "action": null }),
        json!({ "name": "a", "code": "x", "unknown": 1 }),
    ]);
    list(
        prop_oneof![
            8 => with("code", code),
            8 => with("file", file),
            8 => with("action", action),
            1 => several,
        ]
        .boxed(),
    )
}

pub(super) fn documents() -> BoxedStrategy<Value> {
    let env = mostly(
        json!([{}, null, { "A": "x", "_B1": 1.5, "C": true }, { "A": { "secret": true } }]),
        json!([{ "1A": "x" }, { "PIPEDREAM_A": "x" }, { "A": null }, { "A": { "secret": false } }, { "A": {} }, { "A-B": 1 }]),
    );
    let throttle = object(vec![
        ("limit", mostly(json!([0, 10_000]), json!([10_001, -1]))),
        (
            "interval_seconds",
            mostly(json!([1, 86_400]), json!([0, 86_401])),
        ),
    ]);
    let settings = object(vec![
        ("timeout_seconds", timeouts()),
        (
            "concurrency",
            mostly(json!([1, 1000]), json!([0, 1001, "1"])),
        ),
        ("throttle", throttle),
        (
            "queue",
            mostly(json!([1, 1_000_000]), json!([0, 1_000_001])),
        ),
        ("retry", retries()),
    ]);
    object(vec![
        (
            "name",
            mostly(json!(["x", "Grüße 😀"]), json!([" ", "\u{feff}", "a\0"])),
        ),
        ("description", mostly(json!(["", "x"]), json!([5]))),
        ("env", env),
        ("triggers", triggers()),
        ("steps", steps()),
        ("settings", settings),
    ])
}
