//! Schedulers of several nodes on one store.

use std::collections::HashSet;

use sluice_cluster::testing as cluster;
use sluice_infra::testing::{self, NOW};
use sluice_model::{EmitterId, EventId, SourceId, TimerSpec};
use sluice_store::{
    BatchLimit,
    held_events::HeldEvent,
    inbox::{self, InboxItem, InboxKind, PageRequest},
    server_clock,
};

use super::*;
use crate::owner::claims::Claims;

const TIMERS: usize = 60;

fn emitter(number: usize) -> EmitterId {
    SourceId::parse(&format!("dc_s{number}")).unwrap().into()
}

fn scheduler(infra: &Infra) -> Scheduler {
    let (owners, _) = Owners::new(infra.clone(), Claims::default());
    Scheduler {
        infra: infra.clone(),
        owners,
        quotas: Quotas::new(infra.clone()),
        streams: Streams::new(infra.clone()),
        due_times: DueTimes::default(),
    }
}

async fn round(scheduler: &Scheduler) -> Option<i64> {
    let mut clock = DueTimeClock::default();
    scheduler.round(&mut clock).await.unwrap()
}

/// Arms a timer of each of so many sources, and holds one event.
async fn store_due(infra: &Infra, timers: usize) {
    let stored = infra.store.write(move |c| {
        let hourly = TimerSpec::HOURLY;
        for number in 0..timers {
            timers::upsert(c, &emitter(number), "t", &hourly, Some(NOW))?;
        }
        let held = HeldEvent {
            emitter_id: emitter(0),
            id: EventId { ms: 1, seq: 1 },
            due_at: NOW,
            depth: 0,
        };
        held_events::insert(c, &held)
    });
    stored.await.unwrap();
}

/// The work of all sources that is stored.
async fn stored_work(infra: &Infra) -> Vec<InboxItem> {
    let read = infra.store.read(move |c| {
        let all = PageRequest {
            known: &HashSet::new(),
            limit: BatchLimit {
                rows: 10,
                bytes: u64::MAX,
            },
        };
        let mut items = Vec::new();
        for number in 0..TIMERS {
            items.extend(inbox::waiting(c, &emitter(number), &all)?.items);
        }
        Ok(items)
    });
    read.await.unwrap()
}

#[tokio::test]
async fn a_node_without_a_lease_fires_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut infra, _) = testing::infra(folder.path());
    infra.cluster = cluster::without_lease(&infra.store);
    store_due(&infra, 1).await;
    let scheduler = scheduler(&infra);
    assert_eq!(round(&scheduler).await, None);
    assert_eq!(stored_work(&infra).await, []);
    cluster::renew(&infra.cluster);
    assert_eq!(round(&scheduler).await, Some(NOW));
    assert_eq!(stored_work(&infra).await.len(), 2);
}

#[tokio::test]
async fn of_two_nodes_one_fires_each_tick() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let (infra, _) = testing::infra(folder.path());
    let on_node = |cluster| Infra {
        cluster,
        ..infra.clone()
    };
    let first = scheduler(&on_node(cluster::node("a").await));
    let second = scheduler(&on_node(cluster::node("b").await));
    store_due(&infra, TIMERS).await;
    tokio::join!(round(&first), round(&second));
    let stored = stored_work(&infra).await;
    let count = |kind| stored.iter().filter(|item| item.kind == kind).count();
    assert_eq!(count(InboxKind::Timer), TIMERS);
    assert_eq!(count(InboxKind::Held), 1);
    let ticks = |scheduler: &Scheduler| scheduler.infra.metrics.timer_ticks.get();
    // Both count in the same metrics.
    assert_eq!(ticks(&first), TIMERS as u64);
}

#[tokio::test]
async fn a_node_among_others_looks_for_their_timers_every_second() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let (mut infra, _) = testing::infra(folder.path());
    assert_eq!(scheduler(&infra).longest_sleep(), Duration::from_mins(1));
    infra.cluster = cluster::node("a").await;
    assert_eq!(scheduler(&infra).longest_sleep(), Duration::from_secs(1));
}

/// The due time of a timer after the first round of a node, which is due somewhat later than if it were armed now.
async fn due_after_start(is_alone: bool, stored_clock_ms: i64) -> i64 {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let (mut infra, _) = testing::infra(folder.path());
    infra.cluster = cluster::node("a").await;
    if is_alone {
        cluster::set_alone(&infra.cluster);
    }
    let stored = infra.store.write(move |c| {
        timers::upsert(c, &emitter(0), "t", &TimerSpec::HOURLY, Some(ARMED))?;
        server_clock::advance(c, stored_clock_ms)
    });
    stored.await.unwrap();
    round(&scheduler(&infra)).await;
    let due = infra.store.read(timers::next_due).await.unwrap();
    due.unwrap()
}

/// When a node whose clock is ahead by half a second would arm a timer.
const ARMED: i64 = NOW + 3_600_500;

#[tokio::test]
async fn clocks_of_nodes_that_differ_correct_no_due_times() {
    assert_eq!(due_after_start(false, NOW + 600_000).await, ARMED);
    assert_eq!(due_after_start(true, NOW + 500).await, ARMED);
}

#[tokio::test]
async fn a_database_whose_clock_was_set_back_is_noticed_at_the_start() {
    assert_eq!(due_after_start(true, NOW + 600_000).await, NOW + 3_600_000);
}
