//! Stream readers on two nodes.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json, value::to_raw_value};
use sluice_cluster::{Hint, Received};
use sluice_engine::streams::{EventReader, StreamedEvent, Streams};
use sluice_infra::testing;
use sluice_model::EmitterId;
use sluice_runtime::scripted::ScriptedOutcome;
use sluice_store::events::ChannelFilter;
use sluice_testkit::wait_for;

use crate::{
    fixture::{PATIENCE, source_id, user_id},
    two_nodes::TwoNodes,
};

const EVENTS: u64 = 40;

async fn start() -> TwoNodes {
    TwoNodes::start(
        vec![("a", None)],
        |_| {},
        |invocation| ScriptedOutcome::success().emit(&invocation.event),
    )
    .await
}

async fn follow(streams: &Streams) -> EventReader {
    let all = ChannelFilter::AllButSystem;
    let reader = streams
        .follow_events(&user_id(), &source_id(), all, None)
        .await;
    reader.unwrap()
}

async fn next(reader: &mut EventReader) -> Value {
    let event = reader.next(Duration::ZERO).await.unwrap();
    let data = match event {
        StreamedEvent::Stored(event) => event.data.into(),
        StreamedEvent::Live(live) => live.frame(|event| Bytes::from(event.data.clone())),
    };
    serde_json::from_slice(&data).unwrap()
}

/// The nodes take turns, and each turn moves the source to the other one.
#[tokio::test]
async fn readers_on_both_nodes_see_each_event_once_and_in_order() {
    let nodes = start().await;
    let engines = [&nodes.first.engine, &nodes.second];
    let mut readers = Vec::new();
    for engine in engines {
        readers.push(follow(&engine.streams).await);
    }
    for number in 0..EVENTS {
        let engine = engines[usize::from(number % 4 > 1)];
        let event = to_raw_value(&json!(number)).unwrap();
        let (user, source) = (user_id(), source_id());
        engine
            .accept
            .run(&user, &source, event, None, |_| None)
            .await
            .unwrap();
        wait_for(PATIENCE, "the event to be committed", async || {
            // The owner of this node may have been fenced by the other one.
            engine.owners.wake(&source);
            let committed = nodes.first.committed_events().await.len() as u64;
            (committed > number).then_some(())
        })
        .await;
        for reader in &mut readers {
            assert_eq!(next(reader).await, json!(number));
        }
    }
}

#[tokio::test]
async fn a_node_hears_of_commits_that_its_readers_wait_for() {
    let nodes = start().await;
    let mut heard = nodes.observer.take_inbound().unwrap();
    let from = |node: &str, hint: fn(EmitterId) -> Hint| {
        Some(Received {
            from: node.to_owned(),
            hint: hint(source_id().into()),
        })
    };
    let reader = follow(&nodes.second.streams).await;
    assert_eq!(heard.recv().await, from("b", Hint::Follow));
    drop(reader);

    nodes.observer.hint("a", Hint::Follow(source_id().into()));
    wait_for(PATIENCE, "a hint after a commit", async || {
        // The first commits may come before the hint.
        nodes.first.run(&json!(1)).await;
        let hint = tokio::time::timeout(Duration::from_millis(100), heard.recv());
        let hint = hint.await.ok()?;
        assert_eq!(hint, from("a", Hint::Events));
        Some(())
    })
    .await;
}

#[tokio::test]
async fn events_of_the_next_owner_follow_the_last_one_though_its_clock_is_behind() {
    let nodes = start().await;
    let engines = [&nodes.first.engine, &nodes.second];
    let mut reader = follow(&nodes.first.engine.streams).await;
    let mut last = None;
    for (number, engine) in engines.into_iter().enumerate() {
        let event = to_raw_value(&json!(number)).unwrap();
        let (user, source) = (user_id(), source_id());
        engine
            .accept
            .run(&user, &source, event, None, |_| None)
            .await
            .unwrap();
        let StreamedEvent::Stored(event) = reader.next(Duration::ZERO).await.unwrap() else {
            panic!("the first event of an owner is read from the store");
        };
        assert!(Some(event.id) > last);
        last = Some(event.id);
        nodes.first.clock.advance(-3_600_000);
    }
    let ids = last.map(|id| (id.ms, id.seq));
    assert_eq!(ids, Some((testing::NOW, 1)));
}
