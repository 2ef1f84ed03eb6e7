//! Invocations whose process dies are retried, one at a time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use sluice_runtime::scripted::ScriptedOutcome;

use crate::fixture::Fixture;

#[tokio::test]
async fn an_invocation_whose_process_dies_runs_again() {
    let deaths = AtomicUsize::new(0);
    let fixture = Fixture::start(move |invocation| {
        let is_killer = invocation.event == json!("kills once");
        if is_killer && deaths.fetch_add(1, Ordering::SeqCst) == 0 {
            ScriptedOutcome::exit("out of memory")
        } else {
            ScriptedOutcome::success().emit(&invocation.event)
        }
    })
    .await;
    fixture.run(&json!("kills once")).await;
    assert_eq!(fixture.events(1).await, [json!("kills once")]);
    assert_eq!(fixture.infra.metrics.invocation_retries.get(), 1);
}

#[tokio::test]
async fn after_its_last_attempt_an_invocation_counts_as_failed_and_the_others_run() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let fixture = Fixture::start(move |invocation| {
        if invocation.event == json!("kills always") {
            counted.fetch_add(1, Ordering::SeqCst);
            ScriptedOutcome::exit("out of memory")
        } else {
            ScriptedOutcome::success().emit(&invocation.event)
        }
    })
    .await;
    fixture.run(&json!("kills always")).await;
    fixture.run(&json!("innocent")).await;
    assert_eq!(fixture.events(1).await, [json!("innocent")]);
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
}
