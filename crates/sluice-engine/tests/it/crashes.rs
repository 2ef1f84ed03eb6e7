//! The engine stops without warning at random moments, many times over. Accepted events are committed exactly once.
//!
//! A crash drops every task at its next await and closes the database after the transaction that is under way. The kill of a
//! real server is tested end to end.

use std::{collections::BTreeSet, path::Path, time::Duration};

use futures_util::{StreamExt, future, stream};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rstest::rstest;
use serde_json::{Value, json};
use sluice_runtime::scripted::{ScriptedInvocation, ScriptedOutcome};
use sluice_store::{Store, inbox, kv};
use sluice_testkit::wait_for;
use tokio::runtime::{Builder, Runtime};

use crate::fixture::{Fixture, Keeping, PATIENCE, source_id};

const CRASHES: usize = 12;
const EVENTS_PER_LIFE: u64 = 40;
/// Clients that wait for their answers at once.
const CLIENTS: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Scenario {
    keeping: Keeping,
    /// The time of slow invocations.
    slow: Duration,
}

const STORED: Scenario = Scenario {
    keeping: Keeping::StoreFirst,
    slow: Duration::from_millis(1),
};
const DIRECT: Scenario = Scenario {
    keeping: Keeping::Direct,
    slow: Duration::from_millis(1),
};
/// Slow invocations are stored while they run.
const MIXED: Scenario = Scenario {
    keeping: Keeping::Direct,
    slow: Duration::from_millis(13),
};

/// Counts in its store. Every third invocation does not count but is slow, so that others end before it.
fn count(invocation: &ScriptedInvocation, slow: Duration) -> ScriptedOutcome {
    let n = &invocation.event;
    if n.as_u64().unwrap_or(0).is_multiple_of(3) {
        return ScriptedOutcome::success()
            .emit(&json!({ "n": n }))
            .after(slow);
    }
    let count = invocation.stored.get("count").and_then(Value::as_u64);
    let count = json!(count.unwrap_or(0) + 1);
    ScriptedOutcome::success()
        .emit(&json!({ "n": n, "count": count }))
        .write("count", Some(&count))
}

#[rstest]
fn accepted_events_are_committed_once(
    #[values(STORED, DIRECT, MIXED)] scenario: Scenario,
    #[values(1, 2, 3, 4, 5, 6)] seed: u64,
) {
    let mut rng = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let mut accepted = Vec::new();
    let mut next = 0;
    for crash in 0..CRASHES {
        let moment = Duration::from_micros(rng.random_range(0..20_000));
        let first = next;
        next += EVENTS_PER_LIFE;
        let runtime = runtime();
        let store = runtime.block_on(live(
            folder.path(),
            scenario,
            crash == 0,
            moment,
            first,
            &mut accepted,
        ));
        runtime.shutdown_background();
        store.close();
    }
    let (events, stored) = runtime().block_on(finish(folder.path(), scenario));
    check(&accepted, &events, &stored, next);
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Accepts events until the moment of the crash.
async fn live(
    folder: &Path,
    Scenario { keeping, slow }: Scenario,
    is_new: bool,
    moment: Duration,
    first: u64,
    accepted: &mut Vec<u64>,
) -> Store {
    let run = move |invocation: &ScriptedInvocation| count(invocation, slow);
    let fixture = if is_new {
        Fixture::new_in(folder, None, keeping, run).await
    } else {
        Fixture::again_in(folder, keeping, run).await
    };
    let fixture = &fixture;
    let accept = stream::iter(first..first + EVENTS_PER_LIFE)
        .map(|n| async move {
            fixture.run(&json!(n)).await;
            n
        })
        .buffer_unordered(CLIENTS)
        .for_each(|n| {
            accepted.push(n);
            future::ready(())
        });
    let _ = tokio::time::timeout(moment, accept).await;
    fixture.infra.store.clone()
}

/// Lets the rest run. Returns all events and the key-value store.
async fn finish(
    folder: &Path,
    Scenario { keeping, slow }: Scenario,
) -> (Vec<Value>, Vec<(String, String)>) {
    let run = move |invocation: &ScriptedInvocation| count(invocation, slow);
    let fixture = Fixture::again_in(folder, keeping, run).await;
    wait_for(PATIENCE, "an empty inbox", async || {
        let waiting = fixture.infra.store.read(inbox::emitters_with_work).await;
        waiting.unwrap().is_empty().then_some(())
    })
    .await;
    let stored = fixture.infra.store.read(|c| kv::load_all(c, &source_id()));
    (fixture.committed_events().await, stored.await.unwrap())
}

fn check(accepted: &[u64], events: &[Value], stored: &[(String, String)], sent: u64) {
    let numbers: Vec<u64> = events
        .iter()
        .filter_map(|event| event["n"].as_u64())
        .collect();
    let committed: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(
        committed.len(),
        numbers.len(),
        "an event was committed twice"
    );
    assert!(committed.iter().all(|n| *n < sent), "an event was made up");
    let lost: Vec<_> = accepted.iter().filter(|n| !committed.contains(n)).collect();
    assert!(lost.is_empty(), "accepted and lost: {lost:?}");
    let counts: Vec<u64> = events
        .iter()
        .filter_map(|event| event["count"].as_u64())
        .collect();
    let expected: Vec<u64> = (1..=counts.len() as u64).collect();
    assert_eq!(counts, expected, "the count does not fit the events");
    assert_eq!(stored, [("count".to_owned(), counts.len().to_string())]);
}
