//! What a step hands on to later steps.

use serde_json::{Value, json};

use crate::support::{module, run, run_code, start};

#[tokio::test]
async fn return_is_the_return_value() {
    assert_eq!(
        run("return { a: [1, null] }").await.ok(),
        json!({ "$return_value": { "a": [1, null] } })
    );
    assert_eq!(
        run("return null").await.ok(),
        json!({ "$return_value": null })
    );
    assert_eq!(run("").await.ok(), json!({}));
}

#[tokio::test]
async fn named_exports_and_the_summary_stand_beside_it() {
    let ran = run("$.export('x', 1); $.export('x', { y: 2 }); $.export('$summary', 'done'); $.export('a\"\\n', 3); return 4").await;
    assert_eq!(
        ran.ok(),
        json!({ "x": { "y": 2 }, "$summary": "done", "a\"\n": 3, "$return_value": 4 })
    );
}

#[tokio::test]
async fn values_are_as_json_has_them() {
    let ran = run(
        "$.export('f', () => 1); $.export('u', undefined); $.export('d', new Date(0));
         return { f() {}, u: undefined, n: NaN, half: '\\ud800', m: new Map([[1, 2]]) }",
    )
    .await;
    assert_eq!(
        ran.ok(),
        json!({ "d": "1970-01-01T00:00:00.000Z", "$return_value": { "n": null, "half": "\u{fffd}", "m": {} } })
    );
    assert_eq!(run("return () => 1").await.ok(), json!({}));
}

#[tokio::test]
async fn what_is_not_json_is_an_error_and_what_was_exported_before_stands() {
    for value in ["10n", "cyclic", "{ toJSON() { throw new Error('no') } }"] {
        let body = "const cyclic = {}; cyclic.self = cyclic; $.export('before', 1);";
        let ran = run(&format!("{body} return {value}")).await;
        assert_eq!(ran.failure().name, "ExportError", "{value}");
        assert!(
            ran.failure()
                .message
                .starts_with("the export $return_value cannot be written as JSON")
        );
        assert_eq!(ran.exports(), json!({ "before": 1 }));
        let ran = run(&format!("{body} $.export('bad', {value})")).await;
        assert_eq!(ran.failure().name, "ExportError", "{value}");
    }
    let caught = run("try { $.export('bad', 1n) } catch (error) { return error.name }").await;
    assert_eq!(caught.returned(), "ExportError");
}

#[tokio::test]
async fn an_export_needs_a_name() {
    assert_eq!(run("$.export('', 1)").await.failure().name, "TypeError");
}

#[tokio::test]
async fn a_step_that_throws_has_its_exports_sends_and_logs_up_to_then() {
    let ran = run(
        "$.export('x', 1); await $.send.emit(1); console.log('said'); $.flow.exit('ignored');
         throw new RangeError('oh')",
    )
    .await;
    assert_eq!(
        (ran.failure().name.as_str(), ran.failure().message.as_str()),
        ("RangeError", "oh")
    );
    assert_eq!(ran.exports(), json!({ "x": 1 }));
    assert_eq!(ran.sends().len(), 1);
    assert_eq!(ran.logs(), ["said"]);
    assert!(ran.step().flow.is_none());
}

#[tokio::test]
async fn later_steps_see_what_earlier_ones_exported() {
    let code = "export default { async run({ steps, $ }) { return [steps.trigger.event.n, steps.one.$return_value, steps.one.x, $.context.id] } }";
    let steps = start(vec![module("two", code)]).await;
    let mut input = crate::support::input("two", &json!({ "n": 5 }));
    input["steps"]["one"] = json!({ "$return_value": "r", "x": { "deep": true } });
    let ran = steps.run_with(input, crate::support::PATIENCE).await;
    assert_eq!(ran.returned(), json!([5, "r", { "deep": true }, "run id"]));
}

#[tokio::test]
async fn the_context_has_what_the_engine_gave_and_the_deadline() {
    let ran =
        run("return [$.context.run.runs, $.context.workflow_id, $.context.deadline - Date.now()]")
            .await;
    let Value::Array(seen) = ran.returned() else {
        panic!("a list");
    };
    assert_eq!(seen[..2], [json!(1), json!(crate::support::WORKFLOW)]);
    let left = seen[2].as_u64().expect("a time ahead");
    let most = crate::support::PATIENCE.as_millis();
    assert!((1..=most).contains(&u128::from(left)), "{left}");
}

#[tokio::test]
async fn after_its_end_a_step_can_only_log() {
    let late = run_code(
        "export default { run({ $ }) { setTimeout(() => { $.export('late', 1); $.send.sse({ channel: 'c', payload: 1 }); $.flow.exit() }, 20); return 1 } }",
    );
    // The lines come after the end, and belong to no running invocation.
    assert_eq!(late.await.ok(), json!({ "$return_value": 1 }));
    let steps = start(vec![module(
        "test",
        "export default { run({ $ }) { setTimeout(() => $.export('late', 1), 20) } }",
    )])
    .await;
    steps.run("test", Value::Null).await.ok();
    let line = steps
        .event(|event| matches!(event, sluice_runtime::ProcessEvent::Stray(..)))
        .await;
    let text = format!("{line:?}");
    assert!(
        text.contains("$.export was called after the invocation had ended: nothing was done"),
        "{text}"
    );
}
