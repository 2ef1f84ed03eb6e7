//! `dedupe: "unique"` and `"greatest"`, and what they have in common.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, wait_for};

use super::{component, emitted_ids};
use crate::support::{Deployed, PATIENCE, deploy, new_user, new_user_on};

/// A source that emits each id of the event it is run with.
async fn with_strategy(api: &sluice_testkit::Api, strategy: &str) -> Deployed {
    let code = component(&format!(
        "dedupe: '{strategy}', run(event) {{ for (const id of event) this.$emit(id, {{ id }}); }}"
    ));
    deploy(api, &code).await
}

#[rstest]
#[tokio::test]
async fn unique_emits_an_id_once_in_and_across_invocations(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = with_strategy(&new_user_on(backend).await, "unique").await;
    source.run(json!(["a", "b", "a"])).await;
    source.run(json!(["b", "c", "A", "a "])).await;
    assert_eq!(source.events(5).await, ["a", "b", "c", "A", "a "]);
}

#[tokio::test]
async fn unique_compares_ids_as_strings() {
    let source = with_strategy(&new_user().await, "unique").await;
    source.run(json!([1, "1", "01", 1.0, "1.0"])).await;
    assert_eq!(
        source.events(3).await,
        [json!(1), json!("01"), json!("1.0")]
    );
}

#[tokio::test]
async fn unique_remembers_100_ids_first_in_first_out() {
    let source = with_strategy(&new_user().await, "unique").await;
    source.run(json!((0..=100).collect::<Vec<_>>())).await;
    // The 101st id pushed out 0 and nothing else. A repeated 1 does not move to the back of the queue, so 0 pushes it out.
    source.run(json!([1, 0, 1, 3, "end"])).await;
    let newest = wait_for(PATIENCE, "the last event", async || {
        let ids = emitted_ids(&source).await;
        (ids.first().is_some_and(|id| id == "end")).then_some(ids)
    })
    .await;
    assert_eq!(newest[..5], ["end", "1", "0", "100", "99"]);
}

#[tokio::test]
async fn greatest_emits_larger_numbers_only_in_and_across_invocations() {
    let source = with_strategy(&new_user().await, "greatest").await;
    source.run(json!([5, 3, "9", "10", 10])).await;
    source
        .run(json!([
            10,
            "10.0",
            "10.5",
            -1,
            "1e3",
            999,
            "9007199254740993",
            "9007199254740992"
        ]))
        .await;
    assert_eq!(
        source.events(6).await,
        [
            json!(5),
            json!("9"),
            json!("10"),
            json!("10.5"),
            json!("1e3"),
            json!("9007199254740993")
        ]
    );
}

#[tokio::test]
async fn greatest_reports_an_id_that_is_not_a_number_and_emits_the_rest() {
    let source = with_strategy(&new_user().await, "greatest").await;
    source.run(json!([1, "two", 3])).await;
    assert_eq!(source.events(2).await, [1, 3]);
    let errors = source.errors(1).await;
    assert!(
        errors[0]["error"]["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("not a number")),
        "{errors:?}"
    );
    assert_eq!(source.log_with("not a number").await["level"], "error");
}

#[rstest]
#[tokio::test]
async fn an_emit_without_id_is_an_error_in_logs_and_errors_and_is_not_emitted(
    #[values("unique", "greatest", "last")] strategy: &str,
) {
    let source = with_strategy(&new_user().await, strategy).await;
    let invocation = source.run(json!([1, null, 2])).await;
    assert_eq!(source.events(2).await, [1, 2]);
    let errors = source.errors(1).await;
    assert!(
        errors[0]["error"]["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("without an id")),
        "{errors:?}"
    );
    let line = source.log_with("without an id").await;
    assert_eq!(
        [&line["level"], &line["invocation_id"]],
        [&json!("error"), &invocation["id"]]
    );
}

#[rstest]
#[tokio::test]
async fn an_id_that_is_neither_a_string_nor_a_number_is_an_error(
    #[values("unique", "greatest", "last")] strategy: &str,
) {
    let source = with_strategy(&new_user().await, strategy).await;
    source.run(json!([1, { "a": 1 }, [2], true, 3])).await;
    assert_eq!(source.events(2).await, [1, 3]);
    for error in source.errors(3).await {
        let message = error["error"]["msg"].as_str().unwrap_or_default();
        assert!(message.contains("neither a string nor a number"), "{error}");
    }
    let line = source.log_with("neither a string nor a number").await;
    assert_eq!(line["level"], "error");
}

#[tokio::test]
async fn without_a_strategy_ids_are_not_compared() {
    let source = deploy(
        &new_user().await,
        &component("run() { this.$emit(1, { id: 1 }); this.$emit(2, { id: 1 }); }"),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [1, 2]);
}

#[tokio::test]
async fn emits_of_hooks_are_deduplicated_with_those_of_run() {
    let code = component(
        "dedupe: 'unique', hooks: { deploy() { this.$emit('deploy', { id: 1 }); } }, run() { this.$emit('run', { id: 1 }); this.$emit('run', { id: 2 }); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let summaries = source.events(2).await;
    assert_eq!(summaries, ["deploy", "run"]);
    assert_eq!(emitted_ids(&source).await, ["2", "1"]);
}

#[tokio::test]
async fn what_was_seen_survives_an_update_of_the_code() {
    let source = with_strategy(&new_user().await, "unique").await;
    source.run(json!(["a"])).await;
    source.events(1).await;
    let code = component(
        "dedupe: 'unique', run(event) { for (const id of event) this.$emit(['new', id], { id }); }",
    );
    source
        .api
        .put(&source.path(""), &json!({ "component_code": code }))
        .await
        .ok();
    source.run(json!(["a", "b"])).await;
    assert_eq!(source.events(2).await[1], json!(["new", "b"]));
}

#[tokio::test]
async fn a_failed_invocation_s_emits_count_as_seen() {
    let code = component(
        "dedupe: 'unique', run(event) { this.$emit(event, { id: 'a' }); if (event === 'first') throw new Error('x'); this.$emit(event, { id: 'b' }); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!("first")).await;
    source.errors(1).await;
    source.run(json!("second")).await;
    assert_eq!(
        source.events(2).await,
        [Value::from("first"), Value::from("second")]
    );
    assert_eq!(emitted_ids(&source).await, ["b", "a"]);
}
