//! Stream readers on two nodes.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json, value::to_raw_value};
use sluice_cluster::{Hint, Received};
use sluice_engine::streams::{EventReader, StreamedEvent, Streams};
use sluice_model::EmitterId;
use sluice_runtime::scripted::ScriptedOutcome;
use sluice_store::events::ChannelFilter;

use crate::{
    fixture::{source_id, user_id},
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
    nodes.take_hints();
    let engines = [&nodes.first.engine, &nodes.second];
    let mut readers = Vec::new();
    for engine in engines {
        readers.push(follow(&engine.streams).await);
    }
    for number in 0..EVENTS {
        let engine = engines[usize::from(number % 4 > 1)];
        let event = to_raw_value(&json!(number)).unwrap();
        // The owner of this node may have been fenced by the other one.
        while engine
            .accept
            .run(&user_id(), &source_id(), event.clone())
            .await
            .is_err()
        {}
        for reader in &mut readers {
            assert_eq!(next(reader).await, json!(number));
        }
    }
}

#[tokio::test]
async fn a_node_hears_of_commits_that_its_readers_wait_for() {
    let nodes = start().await;
    let first = &nodes.first;
    let mut to_first = first.infra.cluster.take_inbound().unwrap();
    let mut to_second = nodes.second_infra.cluster.take_inbound().unwrap();
    let _reader = follow(&nodes.second.streams).await;
    let from = |node: &str, hint: fn(EmitterId) -> Hint| {
        Some(Received {
            from: node.to_owned(),
            hint: hint(source_id().into()),
        })
    };
    assert_eq!(to_first.recv().await, from("b", Hint::Follow));
    first.engine.streams.followed(&source_id(), "b");
    first.run(&json!(1)).await;
    assert_eq!(to_second.recv().await, from("a", Hint::Events));
}
