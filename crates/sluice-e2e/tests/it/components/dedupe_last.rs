//! `dedupe: "last"`, which works on the whole batch of an invocation.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::component;
use crate::support::{Deployed, deploy, new_user, new_user_on};

/// A source that emits each `[id, ts]` of the event it is run with.
const EMITTER: &str = "dedupe: 'last', run(event) { for (const [id, ts] of event) this.$emit(id ?? 'none', { id, ts }); }";

/// Runs the batches one after another; what came of all of them, in order.
async fn outcome(source: &Deployed, batches: &[Value], count: usize) -> Vec<Value> {
    for batch in batches {
        source.run(batch.clone()).await;
    }
    source.run(json!([["end"]])).await;
    let mut events = source.events(count + 1).await;
    assert_eq!(events.pop(), Some(json!("end")));
    events
}

#[rstest]
#[tokio::test]
async fn last_emits_what_follows_the_last_emitted_id(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, &component(EMITTER)).await;
    let batches = [
        json!([["1"], ["2"], ["3"]]),
        json!([["2"], ["3"], ["4"], ["5"]]),
        json!([["4"], ["5"]]),
        json!([["5"], ["6"]]),
    ];
    assert_eq!(
        outcome(&source, &batches, 6).await,
        ["1", "2", "3", "4", "5", "6"]
    );
}

#[tokio::test]
async fn last_emits_everything_when_no_id_matches() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    let batches = [json!([["1"], ["2"]]), json!([["1"], ["9"]])];
    assert_eq!(outcome(&source, &batches, 4).await, ["1", "2", "1", "9"]);
}

#[tokio::test]
async fn last_remembers_the_emit_with_the_newest_ts_of_the_batch() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    // Newest first, as most APIs list: ts puts them in order, and "c" is what is remembered.
    let batches = [
        json!([["c", 3], ["b", 2], ["a", 1]]),
        json!([["e", 5], ["d", 4], ["c", 3], ["b", 2]]),
    ];
    assert_eq!(
        outcome(&source, &batches, 5).await,
        ["a", "b", "c", "d", "e"]
    );
}

#[tokio::test]
async fn last_takes_what_follows_the_match_that_stands_last() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    let batches = [json!([["1"]]), json!([["1"], ["2"], ["1"], ["3"]])];
    assert_eq!(outcome(&source, &batches, 2).await, ["1", "3"]);
}

#[tokio::test]
async fn last_moves_on_over_a_batch_of_which_nothing_was_emitted() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    let batches = [
        json!([["1"], ["2"]]),
        json!([["1"], ["2"]]),
        json!([["2"], ["3"]]),
    ];
    assert_eq!(outcome(&source, &batches, 3).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn an_emit_without_id_is_no_part_of_a_last_batch() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    let batches = [json!([["1"], ["2"], [null, 99]]), json!([["2"], ["3"]])];
    assert_eq!(outcome(&source, &batches, 3).await, ["1", "2", "3"]);
    source.errors(1).await;
}

#[tokio::test]
async fn an_invocation_without_emits_leaves_the_last_id_as_it_was() {
    let source = deploy(&new_user().await, &component(EMITTER)).await;
    let batches = [json!([["1"], ["2"]]), json!([]), json!([["2"], ["3"]])];
    assert_eq!(outcome(&source, &batches, 3).await, ["1", "2", "3"]);
}
