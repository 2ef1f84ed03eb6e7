//! A commit takes at most two round trips to PostgreSQL, whatever it contains.

mod fixture;

use std::collections::BTreeSet;

use sluice_model::{EmitterId, EventId, TimerSpec, WebhookId};
use sluice_store::{
    BatchLimit, deliveries,
    events::{self, ChannelFilter},
    held_events, inbox, kept_rows, kv, logs,
    runs::Run,
    sources, timers, workflows,
};

use self::fixture::{Fixture, NOW, ROWS, run, source, source_id, workflow, workflow_id};
use super::batch::Batch;

fn held(batch: &Batch) -> Vec<EventId> {
    let held = batch
        .events
        .iter()
        .filter(|event| event.held_until.is_some());
    held.map(|event| event.id).collect()
}

#[tokio::test]
async fn a_commit_of_a_source_takes_two_round_trips_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    let stored = fixture.store.write(|c| {
        sources::insert(c, &source(&source_id(), "a"))?;
        Fixture::claim(c, &source_id())?;
        let timer = TimerSpec::Interval { seconds: 60 };
        timers::upsert(c, &source_id(), "timer", &timer, None)
    });
    stored.await.unwrap();
    let mut released = Vec::new();
    // The first commits prepare their statements: the second one is the first that releases events, and from the fourth one
    // on there are listeners.
    let expected = [None, None, Some(2), None, Some(2), Some(2)];
    for (commit, expected) in expected.into_iter().enumerate() {
        if commit == 3 {
            fixture.add_listeners().await;
        }
        let batch = fixture.source_batch(std::mem::take(&mut released));
        released = held(&batch);
        fixture.accept(batch.done.clone()).await;
        let round_trips = fixture.commit(batch).await;
        assert!(
            expected.is_none_or(|expected| round_trips <= expected),
            "{round_trips}"
        );
    }
    // A batch without state has a statement of its own.
    let empty = fixture.batch(&source_id());
    fixture.commit(empty).await;
    let empty = fixture.batch(&source_id());
    assert!(fixture.commit(empty).await <= 2);
    let read = fixture.store.read(|c| {
        let events = events::count(c, &source_id(), &ChannelFilter::AllButSystem)?;
        assert_eq!(events, (6 * 2 * ROWS) as u64);
        assert_eq!(logs::count(c, &source_id())?, (6 * ROWS) as u64);
        let kept = kept_rows::of_emitter(c, &source_id())?;
        let numbers = (usize::try_from(kept.events), usize::try_from(kept.logs));
        assert_eq!(numbers, (Ok(6 * 2 * ROWS), Ok(6 * ROWS)));
        assert_eq!(kv::load_all(c, &source_id())?.len(), ROWS / 2);
        assert_eq!(held_events::due(c, NOW + 100, 1_000)?.len(), ROWS);
        let listener = EmitterId::parse("dc_listener").unwrap();
        let waiting = inbox::counts(c, &[source_id(), listener.clone()])?;
        // Events, released events and log lines of three commits.
        assert_eq!(waiting, [(listener, (3 * 3 * ROWS) as u64)].into());
        let webhook = WebhookId::parse("wh_a").unwrap();
        let limit = BatchLimit {
            rows: 10_000,
            bytes: u64::MAX,
        };
        let due = deliveries::due(c, &webhook, NOW, &BTreeSet::new(), limit)?;
        assert_eq!(due.len(), 3 * 3 * ROWS);
        Ok(())
    });
    read.await.unwrap();
}

#[tokio::test]
async fn a_commit_of_a_workflow_takes_two_round_trips_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    let stored = fixture.store.write(|c| {
        workflows::insert(c, &workflow(workflow_id()))?;
        Fixture::claim(c, &workflow_id())
    });
    stored.await.unwrap();
    fixture.add_listeners().await;
    for expected in [None, Some(2), Some(2)] {
        let runs: Vec<Run> = fixture.invocations(ROWS).into_iter().map(run).collect();
        let batch = fixture.workflow_batch(&runs);
        let round_trips = fixture.commit(batch).await;
        assert!(
            expected.is_none_or(|expected| round_trips <= expected),
            "{round_trips}"
        );
    }
}

#[tokio::test]
async fn accepting_requests_takes_one_round_trip_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    for (count, expected) in [(1, None), (1, Some(1)), (256, Some(1))] {
        let ids = fixture.invocations(count);
        let before = fixture.store.commit_round_trips();
        fixture.accept(ids).await;
        let round_trips = fixture.store.commit_round_trips() - before;
        assert!(
            expected.is_none_or(|expected| round_trips == expected),
            "{round_trips}"
        );
    }
}
