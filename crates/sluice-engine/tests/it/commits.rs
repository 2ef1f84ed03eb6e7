//! Commits of a source: effects, order and commit numbers.

use serde_json::{Value, json};
use sluice_runtime::scripted::ScriptedOutcome;
use sluice_store::{inbox, kv, state};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, PATIENCE, source_id};

#[tokio::test]
async fn invocations_are_committed_in_order_and_acknowledged() {
    let fixture = Fixture::start(|invocation| {
        let count = invocation.stored.get("count").and_then(Value::as_u64);
        let count = json!(count.unwrap_or(0) + 1);
        ScriptedOutcome::success()
            .emit(&invocation.event)
            .write("count", Some(&count))
    })
    .await;
    for n in 1..=20 {
        fixture.run(&json!({ "n": n })).await;
    }
    let expected: Vec<Value> = (1..=20).map(|n| json!({ "n": n })).collect();
    assert_eq!(fixture.events(20).await, expected);
    wait_for(PATIENCE, "an empty inbox", async || {
        let waiting = fixture.infra.store.read(inbox::emitters_with_work).await;
        waiting.unwrap().is_empty().then_some(())
    })
    .await;
    let stored = fixture.infra.store.read(|c| kv::load_all(c, &source_id()));
    assert_eq!(
        stored.await.unwrap(),
        [("count".to_owned(), "20".to_owned())]
    );
    let state = fixture.infra.store.read(|c| state::load(c, &source_id()));
    assert!(state.await.unwrap().commit_no >= 1);
}

#[tokio::test]
async fn an_invocation_that_throws_keeps_what_it_emitted() {
    let fixture = Fixture::start(|invocation| {
        ScriptedOutcome::failure("Error", "late").emit(&invocation.event)
    })
    .await;
    fixture.run(&json!(1)).await;
    assert_eq!(fixture.events(1).await, [json!(1)]);
}
