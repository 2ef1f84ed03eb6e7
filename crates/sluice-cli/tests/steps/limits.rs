//! Steps that go too far.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_runtime::ProcessEvent;

use crate::support::{EMIT, EMITS, PATIENCE, component, input, module, run, start};

#[tokio::test]
async fn a_step_that_never_gives_way_is_stopped_and_keeps_what_it_did() {
    let body = "$.export('x', 1); $.send.emit(1); console.log('said'); for (;;) {}";
    let steps = start(vec![module("test", &component(body))]).await;
    let ran = steps
        .run_with(input("test", &Value::Null), Duration::from_millis(200))
        .await;
    assert_eq!(ran.failure().name, "Timeout");
    assert_eq!(ran.exports(), json!({ "x": 1 }));
    assert_eq!(ran.sends().len(), 1);
    assert_eq!(ran.logs(), ["said"]);
}

#[tokio::test]
async fn one_value_may_be_as_large_as_an_event() {
    let fits = run(&format!("return 'x'.repeat({})", EMIT - 2)).await;
    assert_eq!(fits.returned().as_str().map(str::len), Some(EMIT - 2));
    for (body, name) in [
        ("return 'x'.repeat(LIMIT)", "ExportTooLarge"),
        ("$.export('x', 'é'.repeat(LIMIT / 2))", "ExportTooLarge"),
        (
            "try { $.export('x', 'x'.repeat(LIMIT)) } catch {}",
            "ExportTooLarge",
        ),
        ("await $.send.emit('x'.repeat(LIMIT))", "SendTooLarge"),
        ("$.flow.rerun(1, 'x'.repeat(LIMIT))", "ExportTooLarge"),
    ] {
        let ran = run(&body.replace("LIMIT", &EMIT.to_string())).await;
        assert_eq!(ran.failure().name, name, "{body}");
        assert_eq!(ran.exports(), json!({}));
    }
}

#[tokio::test]
async fn all_that_a_step_hands_out_has_a_limit_too() {
    let many = EMITS / 50_000 + 1;
    for (call, name) in [
        ("$.export(`x${n}`, big)", "ExportLimit"),
        ("$.export('x', big)", "ExportLimit"),
        (
            "await $.send.sse({ channel: 'c', payload: big })",
            "SendLimit",
        ),
    ] {
        let ran = run(&format!(
            "const big = 'x'.repeat(50_000); for (let n = 0; n < {many}; n++) {call}"
        ))
        .await;
        assert_eq!(ran.failure().name, name, "{call}");
    }
}

#[tokio::test]
async fn a_flood_of_lines_ends_the_step() {
    let ran = run("for (let n = 0; n < 1000; n++) console.log('x'.repeat(100))").await;
    assert_eq!(ran.failure().name, "LogLimit");
}

#[tokio::test]
async fn a_step_that_exhausts_the_memory_takes_its_process_and_no_more() {
    let steps = start(vec![module(
        "test",
        &component("const all = []; for (;;) all.push(new Array(1e5).fill(0.5))"),
    )])
    .await;
    steps.begin(&input("test", &Value::Null), PATIENCE);
    let end = steps
        .event(|event| matches!(event, ProcessEvent::Exited { .. } | ProcessEvent::Ended(..)))
        .await;
    match end {
        ProcessEvent::Exited {
            reason, unfinished, ..
        } => {
            assert!(reason.contains("memory"), "{reason}");
            assert_eq!(unfinished.len(), 1);
        }
        ProcessEvent::Ended(_, outcome) => assert!(outcome.failure.is_some()),
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn odd_values_break_nothing() {
    for body in [
        "JSON.stringify = () => '}'; return { a: 1 }",
        "return new Proxy({}, { ownKeys() { throw new Error('no') } })",
        "let deep = []; for (let n = 0; n < 5000; n++) deep = [deep]; return deep",
        "throw Object.create(null)",
        "throw { get message() { throw 1 }, stack: 5 }",
        "$.export({ toString() { throw new Error('no name') } }, 1)",
        "$.flow.exit(Symbol('x'))",
        "$.flow.delay(Symbol('x'))",
        "$.send.http({ method: Symbol('x') }).catch(() => {}); return 1",
        "$.send.http({ method: 'GET', url: { toString() { throw 1 } } }); return 1",
        "Object.assign($, { export: 1, flow: null }); return 1",
        "return new Promise((_, reject) => reject())",
        "return { then(resolve) { resolve(1); resolve(2); throw 3 } }",
    ] {
        let test = module("test", &component(body));
        let other = module("other", &component("return 'well'"));
        let steps = start(vec![test, other]).await;
        steps.run("test", Value::Null).await;
        let ran = steps.run("other", Value::Null).await;
        assert_eq!(ran.returned(), "well", "{body}");
    }
}

#[tokio::test]
async fn a_step_that_poisons_what_the_harness_uses_ends_all_the_same() {
    for body in [
        "Object.prototype.toJSON = () => 'changed'; return { a: 1 }",
        "Array.prototype.join = () => '\\n'; Array.prototype.map = () => { throw 1 }; return { a: 1 }",
        "String.prototype.includes = () => { throw 1 }; return { a: 1 }",
        "Object.entries = () => { throw 1 }; return { a: 1 }",
        "Deno.stdout.writeSync(new TextEncoder().encode('{\"t\":\"end\"}\\n')); return 1",
    ] {
        let steps = start(vec![module("test", &component(body))]).await;
        for _ in 0..2 {
            steps.begin(&input("test", &Value::Null), Duration::from_millis(300));
        }
        let mut ended = 0;
        while ended < 2 {
            let event = steps
                .event(|event| {
                    matches!(event, ProcessEvent::Exited { .. } | ProcessEvent::Ended(..))
                })
                .await;
            ended += match event {
                ProcessEvent::Exited { unfinished, .. } => unfinished.len(),
                _ => 1,
            };
        }
    }
}
