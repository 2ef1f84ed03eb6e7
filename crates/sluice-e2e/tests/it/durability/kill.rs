//! The server is killed at random moments under load, many times over, and loses nothing.

use std::{collections::BTreeSet, time::Duration};

use rand::RngExt;
use rstest::rstest;
use sluice_testkit::{Backend, TestRng, wait_for};
use tokio::sync::watch;

use super::{
    rounds::rounds,
    stage::Stage,
    traffic::{Habit, Phase, Sent, Traffic},
};
use crate::{
    ledger::{Ledger, StoredEvent},
    support::{Deployed, PATIENCE},
};

/// Crashes in greater number are tested in process.
const DEFAULT_ROUNDS: u32 = 6;
const CLIENTS: usize = 6;
/// Answered numbers that a test of kills needs.
const ENOUGH: usize = 20;
const DIRECT: [&str; 4] = ["--event-retention", "10000000", "--direct-from", "0"];
const STORE_FIRST: [&str; 3] = ["--event-retention", "10000000", "--store-first"];

/// Counts in its store and says which number made it count; others count on before it has ended.
pub(super) const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count, padding: event.body.padding });
    if (event.body.n % 3 === 0) await new Promise((done) => setTimeout(done, Math.random() * 30));
  },
};"#;

const UNIQUE: &str = r#"export default {
  name: "unique", version: "0.0.1", dedupe: "unique", props: { http: "$.interface.http" },
  run(event) { this.$emit({ n: event.body.n }, { id: event.body.n, summary: "n", ts: Date.now() }) },
};"#;

/// Ends its invocations out of order.
const PLAIN: &str = r#"module.exports = {
  name: "plain", version: "0.0.1", props: { http: "$.interface.http" },
  async run(event) {
    this.$emit({ n: event.body.n, padding: event.body.padding });
    await new Promise((done) => setTimeout(done, Math.random() * 20));
  },
};"#;

/// With `--direct-from 0` requests to a running source run before they are stored, and slow ones are stored while they run. With
/// `--store-first` all are stored before they run.
#[rstest]
#[case::sqlite(Backend::Sqlite, &DIRECT)]
#[case::sqlite_store_first(Backend::Sqlite, &STORE_FIRST)]
#[case::postgres(Backend::Postgres, &DIRECT)]
#[case::postgres_store_first(Backend::Postgres, &STORE_FIRST)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_200_is_committed_exactly_once_however_often_the_server_is_killed(
    #[case] backend: Backend,
    #[case] args: &[&str],
) {
    let mut stage = Stage::start(backend, args).await;
    let counter = stage.deploy(COUNTER).await;
    let unique = stage.deploy(UNIQUE).await;
    let plain = stage.deploy(PLAIN).await;

    let (phase, watch) = watch::channel(Phase::Up);
    let to_counter = Traffic::start(&counter, CLIENTS, Habit::SendOnce, &watch);
    let to_unique = Traffic::start(&unique, CLIENTS, Habit::Insist, &watch);
    let to_plain = Traffic::start(&plain, CLIENTS, Habit::SendOnce, &watch);
    let kills = rounds(DEFAULT_ROUNDS);
    for _ in 0..kills {
        tokio::time::sleep(random_moment()).await;
        phase.send_replace(Phase::Down);
        stage.restart().await;
        phase.send_replace(Phase::Up);
    }
    // A kill leaves at most one number of each client without an answer.
    let enough = ENOUGH + CLIENTS * kills as usize;
    for source in [&counter, &unique, &plain] {
        wait_for(PATIENCE, "some load", async || {
            (stage.ledger.count("events", &source.id) > enough).then_some(())
        })
        .await;
    }
    phase.send_replace(Phase::Over);

    let [sent_counter, sent_unique, sent_plain] = [
        to_counter.sum().await,
        to_unique.sum().await,
        to_plain.sum().await,
    ];
    for source in [&counter, &unique, &plain] {
        stage.settled(source).await;
    }
    stage.kill9();

    let ledger = &stage.ledger;
    let counted = once_each(ledger, &counter, &sent_counter);
    counts_agree(ledger, &counter, &counted);
    let distinct = once_each(ledger, &unique, &sent_unique);
    memory_agrees(ledger, &unique, &distinct);
    let all = once_each(ledger, &plain, &sent_plain);
    for (source, events) in [(&counter, &counted), (&plain, &all)] {
        let user = source.source["user_id"].as_str().expect("an owner");
        assert_eq!(ledger.invocations_of_user(user), events.len() as u64);
    }
}

/// From before the first process has started to well into the load.
fn random_moment() -> Duration {
    Duration::from_millis(TestRng.random_range(5..400))
}

/// Accepted numbers are there once, unanswered ones at most once, others never; ids grow.
pub(super) fn once_each(ledger: &Ledger, source: &Deployed, sent: &Sent) -> Vec<StoredEvent> {
    let events = ledger.events(&source.id);
    assert!(
        sent.accepted.len() > ENOUGH,
        "hardly any load: {}",
        sent.accepted.len()
    );
    assert_eq!(
        sent.invocations.len(),
        sent.answers,
        "an invocation id was given twice"
    );
    let mut seen = BTreeSet::new();
    for event in &events {
        assert_eq!(event.channel, "", "{}", event.data);
        let n = event.number("n");
        assert!(seen.insert(n), "{n} was committed twice");
        assert!(
            sent.accepted.contains(&n) || sent.unanswered.contains(&n),
            "{n} was never sent"
        );
    }
    let lost: Vec<_> = sent.accepted.difference(&seen).collect();
    assert!(lost.is_empty(), "accepted and lost: {lost:?}");
    assert!(
        events.is_sorted_by(|before, after| before.id < after.id),
        "event ids do not strictly increase"
    );
    events
}

pub(super) fn counts_agree(ledger: &Ledger, source: &Deployed, events: &[StoredEvent]) {
    let counts: Vec<u64> = events.iter().map(|event| event.number("count")).collect();
    let expected: Vec<u64> = (1..=events.len() as u64).collect();
    assert_eq!(counts, expected, "counts with gaps or repeats");
    let stored = ledger.stored(&source.id, "count");
    assert_eq!(stored, Some(events.len().into()), "the count in db");
}

/// Dedupe remembers exactly the newest hundred ids, in the order of their events.
fn memory_agrees(ledger: &Ledger, source: &Deployed, events: &[StoredEvent]) {
    let ids: Vec<String> = events
        .iter()
        .map(|event| event.meta["id"].as_str().expect("the emit's id").to_owned())
        .collect();
    let newest = &ids[ids.len().saturating_sub(100)..];
    assert_eq!(ledger.unique_ids(&source.id), newest);
}
