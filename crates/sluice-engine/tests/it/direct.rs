//! Direct requests: a request to a running source runs before it is stored, and is answered when it is durable.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use sluice_runtime::scripted::{ScriptedInvocation, ScriptedOutcome};
use sluice_store::{Conn, inbox, query_one};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, Keeping, PATIENCE};

/// Longer than an owner waits for an outcome before it stores the request.
const SLOW: Duration = Duration::from_millis(60);

/// Emits its event, after a while if the event is slow.
fn echo(invocation: &ScriptedInvocation) -> ScriptedOutcome {
    let outcome = ScriptedOutcome::success().emit(&invocation.event);
    if invocation.event == json!("slow") {
        outcome.after(SLOW)
    } else {
        outcome
    }
}

/// Starts the source, and counts the rows of the inbox from then on.
async fn running(keeping: Keeping, run: fn(&ScriptedInvocation) -> ScriptedOutcome) -> Fixture {
    let fixture = Fixture::start_with(keeping, run).await;
    fixture.run(&json!("first")).await;
    fixture.events(1).await;
    let count = |c: &mut dyn Conn| {
        c.execute_script(
            "CREATE TABLE inbox_inserts (id TEXT NOT NULL); \
             CREATE TRIGGER count_inserts AFTER INSERT ON inbox \
             BEGIN INSERT INTO inbox_inserts VALUES (NEW.id); END",
        )
    };
    fixture.infra.store.write(count).await.unwrap();
    fixture
}

/// How many rows were written to the inbox.
async fn inserts(fixture: &Fixture) -> u64 {
    let count = |c: &mut dyn Conn| query_one(c, "SELECT COUNT(*) FROM inbox_inserts", &[]);
    fixture.infra.store.read(count).await.unwrap()
}

async fn is_inbox_empty(fixture: &Fixture) -> bool {
    let waiting = fixture.infra.store.read(inbox::emitters_with_work).await;
    waiting.unwrap().is_empty()
}

#[tokio::test]
async fn a_request_to_a_running_source_is_committed_without_an_inbox_row() {
    let fixture = running(Keeping::Direct, echo).await;
    fixture.run(&json!("second")).await;
    // It is answered when its event is durable.
    let events = fixture.committed_events().await;
    assert_eq!(events, [json!("first"), json!("second")]);
    assert_eq!(inserts(&fixture).await, 0);
}

#[tokio::test]
async fn with_store_first_every_request_is_in_the_inbox_first() {
    let fixture = running(Keeping::StoreFirst, echo).await;
    fixture.run(&json!("second")).await;
    assert_eq!(fixture.events(2).await.len(), 2);
    assert_eq!(inserts(&fixture).await, 1);
}

#[tokio::test]
async fn a_slow_request_is_stored_and_answered_before_it_ends() {
    let fixture = Fixture::start_with(Keeping::Direct, |invocation| {
        if invocation.event == json!("held") {
            ScriptedOutcome::never()
        } else {
            ScriptedOutcome::success().emit(&invocation.event)
        }
    })
    .await;
    fixture.run(&json!("first")).await;
    fixture.events(1).await;
    // It never ends, and is answered all the same.
    fixture.run(&json!("held")).await;
    assert!(!is_inbox_empty(&fixture).await);
    assert_eq!(fixture.committed_events().await, [json!("first")]);
    // Others are not held up by it.
    fixture.run(&json!("other")).await;
    assert_eq!(fixture.events(2).await[1], json!("other"));
}

#[tokio::test]
async fn a_request_that_was_stored_while_it_ran_is_committed_once() {
    let fixture = running(Keeping::Direct, echo).await;
    fixture.run(&json!("slow")).await;
    assert_eq!(fixture.events(2).await.len(), 2);
    assert_eq!(inserts(&fixture).await, 1);
    wait_for(PATIENCE, "an empty inbox", async || {
        is_inbox_empty(&fixture).await.then_some(())
    })
    .await;
    assert_eq!(fixture.committed_events().await.len(), 2);
}

#[tokio::test]
async fn slow_requests_make_a_source_store_first_for_a_while() {
    let fixture = running(Keeping::Direct, echo).await;
    for _ in 0..8 {
        fixture.run(&json!("slow")).await;
    }
    let before = inserts(&fixture).await;
    fixture.run(&json!("quick")).await;
    assert_eq!(inserts(&fixture).await, before + 1);
}

#[tokio::test]
async fn a_request_whose_process_dies_is_stored_and_runs_again() {
    let deaths = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&deaths);
    let fixture = Fixture::start_with(Keeping::Direct, move |invocation| {
        let kills = invocation.event == json!("kills twice");
        if kills && counted.fetch_add(1, Ordering::SeqCst) < 2 {
            ScriptedOutcome::exit("out of memory")
        } else {
            ScriptedOutcome::success().emit(&invocation.event)
        }
    })
    .await;
    fixture.run(&json!("first")).await;
    fixture.events(1).await;
    fixture.run(&json!("kills twice")).await;
    assert_eq!(fixture.events(2).await[1], json!("kills twice"));
    assert_eq!(fixture.infra.metrics.invocation_retries.get(), 2);
    wait_for(PATIENCE, "an empty inbox", async || {
        is_inbox_empty(&fixture).await.then_some(())
    })
    .await;
}

#[tokio::test]
async fn requests_that_arrive_together_are_all_committed_once() {
    let fixture = Arc::new(running(Keeping::Direct, echo).await);
    let clients: Vec<_> = (0..200)
        .map(|n| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move { fixture.run(&json!(n)).await })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    let events = fixture.events(201).await;
    let mut numbers: Vec<u64> = events
        .iter()
        .filter_map(serde_json::Value::as_u64)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    assert!(is_inbox_empty(&fixture).await);
}
