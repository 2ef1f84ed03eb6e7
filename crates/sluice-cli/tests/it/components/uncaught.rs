//! Errors nobody catches: they end their invocation, and neither the process nor the source.

use rstest::rstest;
use serde_json::json;

use super::component;
use crate::support::{deploy, new_user};

#[rstest]
#[case::thrown("throw new Error('lost');")]
#[case::in_a_timer("setTimeout(() => { throw new Error('lost'); }, 1); await never;")]
#[case::in_an_interval("setInterval(() => { throw new Error('lost'); }, 1); await never;")]
#[case::in_set_immediate("setImmediate(() => { throw new Error('lost'); }); await never;")]
#[case::in_a_timer_of_node(
    "require('timers').setTimeout(() => { throw new Error('lost'); }, 1); await never;"
)]
#[case::rejected("Promise.reject(new Error('lost')); await never;")]
#[case::in_an_async_callback(
    "[1].forEach(async () => { await null; throw new Error('lost'); }); await never;"
)]
#[case::in_next_tick("process.nextTick(() => { throw new Error('lost'); }); await never;")]
#[case::in_a_microtask("queueMicrotask(() => { throw new Error('lost'); }); await never;")]
#[case::emitted("new (require('events'))().emit('error', new Error('lost'));")]
#[case::in_a_callback_of_node(
    "require('fs').readFile('nowhere', () => { throw new Error('lost'); }); await never;"
)]
#[tokio::test]
async fn an_error_nobody_catches_ends_its_invocation_and_the_process_lives_on(#[case] body: &str) {
    let code = "let runs = 0; const never = new Promise(() => {});\n".to_owned()
        + &component(&format!(
            "async run(event) {{ runs += 1; this.$emit(runs);\n if (event.fail) {{\n {body}\n }} }}"
        ));
    let source = deploy(&new_user().await, &code).await;
    let invocation = source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(
        [&error["error"]["msg"], &error["original_context"]["id"]],
        [&json!("lost"), &invocation["id"]]
    );
    let line = source.log_with("lost").await;
    assert_eq!(
        [&line["level"], &line["invocation_id"]],
        [&json!("error"), &invocation["id"]]
    );
    assert!(
        line["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("component.cjs:4:")),
        "{line}"
    );
    source.run(json!({})).await;
    // 2 means that the module's state, and so the process, is the same.
    assert_eq!(source.events(2).await, [1, 2]);
}

#[rstest]
#[case("throw 'a string';", "a string")]
#[case("throw undefined;", "undefined")]
#[case("throw null;", "null")]
#[case("throw { message: 'an object' };", "an object")]
#[case("throw Object.freeze(new Error('frozen'));", "frozen")]
#[case("throw new Proxy({}, { get() { throw 1; }, has() { throw 2; } });", "")]
#[case(
    "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw e; } }); throw e;",
    ""
)]
#[tokio::test]
async fn whatever_is_thrown_is_reported_and_the_source_works_on(
    #[case] body: &str,
    #[case] message: &str,
) {
    let source = deploy(
        &new_user().await,
        &component(&format!(
            "async run(event) {{ if (!event.fail) return this.$emit('fine'); {body} }}"
        )),
    )
    .await;
    source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert!(
        error["error"]["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains(message)),
        "{error}"
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
}
