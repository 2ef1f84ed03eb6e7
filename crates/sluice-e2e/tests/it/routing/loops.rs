//! Events carry their depth; past the limit they go to `$errors` instead of to a listening source.

use serde_json::json;

use super::fixtures::{listener, relay, subscribe};
use crate::support::{deploy, new_user};

/// The default of `--max-event-depth`.
const MAX_DEPTH: usize = 10;

#[tokio::test]
async fn a_source_that_listens_to_itself_stops_at_the_limit() {
    let api = new_user().await;
    let source = listener(&api).await;
    subscribe(&api, &source.id, "", &source.id).await;
    source.run(json!("start")).await;
    let errors = source.errors(1).await;
    assert_eq!(errors[0]["error"]["code"], "EventLoop");
    assert_eq!(errors[0]["original_event"]["runs"], MAX_DEPTH + 1);
    let events = source.events(MAX_DEPTH + 1).await;
    assert_eq!(events[0], json!({ "heard": "start", "runs": 1 }));
    assert_eq!(events[1]["heard"]["runs"], 1);
    let lines = source.logs().await;
    assert!(
        lines.iter().any(|line| line["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("10 events in a row"))),
        "{lines:#?}"
    );
}

#[tokio::test]
async fn two_sources_that_listen_to_each_other_stop_at_the_limit() {
    let api = new_user().await;
    let (one, other) = (listener(&api).await, listener(&api).await);
    subscribe(&api, &one.id, "", &other.id).await;
    subscribe(&api, &other.id, "", &one.id).await;
    one.run(json!(0)).await;
    // The first run, and five more; the other has the rest.
    one.errors(1).await;
    one.events(MAX_DEPTH / 2 + 1).await;
    other.events(MAX_DEPTH / 2).await;
}

#[tokio::test]
async fn a_source_that_throws_at_its_own_errors_stops_at_the_limit() {
    let api = new_user().await;
    let code = r#"module.exports = {
      name: "moaner", version: "0.0.1", run() { throw new Error("again") },
    };"#;
    let moaner = deploy(&api, code).await;
    subscribe(&api, &moaner.id, "$errors", &moaner.id).await;
    moaner.run(json!(null)).await;
    let errors = moaner.errors(MAX_DEPTH + 1).await;
    assert!(errors.iter().all(|error| error["error"]["msg"] == "again"));
}

#[tokio::test]
async fn a_source_that_logs_at_its_own_logs_stops_at_the_limit() {
    let api = new_user().await;
    let code = r#"module.exports = {
      name: "chatterbox", version: "0.0.1",
      run(event) { console.log("more"); this.$emit(event?.msg ?? "start") },
    };"#;
    let chatterbox = deploy(&api, code).await;
    subscribe(&api, &chatterbox.id, "$logs", &chatterbox.id).await;
    chatterbox.run(json!(null)).await;
    chatterbox.events(MAX_DEPTH + 1).await;
}

#[tokio::test]
async fn lines_that_come_after_their_run_count_as_deep_as_the_deepest() {
    let api = new_user().await;
    let code = r#"module.exports = {
      name: "echo", version: "0.0.1",
      run(event) { setTimeout(() => console.log("late"), 1); this.$emit(event?.msg ?? "start") },
    };"#;
    let echo = deploy(&api, code).await;
    subscribe(&api, &echo.id, "$logs", &echo.id).await;
    echo.run(json!(null)).await;
    echo.events(MAX_DEPTH + 1).await;
}

#[tokio::test]
async fn a_chain_below_the_limit_runs_to_its_end() {
    let api = new_user().await;
    let first = relay(&api).await;
    let mut last = first.id.clone();
    let mut chain = Vec::new();
    for _ in 0..4 {
        let next = listener(&api).await;
        subscribe(&api, &last, "", &next.id).await;
        last.clone_from(&next.id);
        chain.push(next);
    }
    first.send(&json!({ "value": "x" })).await.expect(200);
    let end = chain.last().expect("a chain").events(1).await;
    assert_eq!(
        end[0]["heard"]["heard"]["heard"],
        json!({ "heard": "x", "runs": 1 })
    );
}
