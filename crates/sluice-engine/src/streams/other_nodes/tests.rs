//! A reader on a node that does not own the source.

use std::time::Duration;

use serde_json::Map;
use sluice_infra::testing;
use sluice_model::{ComponentId, EventId, SourceId, UserId};
use sluice_store::{
    Conn,
    events::{self, ChannelFilter, NewEvent},
    logs::{self, NewLog},
    sources::{self, Phase, Retention, Source},
    state::{self, Claim, Fence, NewState},
};
use tempfile::TempDir;

use super::{
    super::{EventReader, StreamEnd, StreamedEvent, Streams, feed::Announcement},
    *,
};

/// A node with readers, and the store that another node writes.
struct Reading {
    streams: Streams,
    _folder: TempDir,
}

impl Reading {
    async fn new() -> Reading {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (mut infra, _) = testing::infra(folder.path());
        infra.cluster = sluice_cluster::testing::node("b").await;
        let stored = infra.store.write(|c| sources::insert(c, &source()));
        stored.await.unwrap();
        Reading {
            streams: Streams::new(infra),
            _folder: folder,
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&mut dyn Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.streams.infra.store.write(write).await.unwrap()
    }

    async fn claim(&self) -> Fence {
        let claim = |c: &mut dyn Conn| state::claim(c, &id(), &"a".into(), true);
        match self.write(claim).await {
            Claim::Made(fence) => fence,
            refused => panic!("{refused:?}"),
        }
    }

    /// Commits an event, which is also the number of the commit.
    async fn commit(&self, fence: &Fence, number: i64) {
        let fence = fence.clone();
        self.write(move |c| {
            let saved = NewState {
                last_event: Some(event_id(number)),
                ..NewState::default()
            };
            let advanced = state::advance(c, &id(), &fence, number, Some(saved))?;
            assert_eq!(advanced, state::Advance::Advanced);
            events::insert(c, &id(), &event(number))
        })
        .await;
    }

    async fn events(&self) -> EventReader {
        let all = ChannelFilter::AllButSystem;
        let streams = &self.streams;
        streams
            .follow_events(&user(), &id(), all, None)
            .await
            .unwrap()
    }

    /// One round of the comparison.
    async fn compare(&self) {
        let Streams { infra, feeds, .. } = &self.streams;
        compare(infra, feeds, feeds.emitters()).await.unwrap();
    }
}

fn id() -> SourceId {
    SourceId::parse("dc_a").unwrap()
}

fn user() -> UserId {
    UserId::parse("u_a").unwrap()
}

fn event_id(number: i64) -> EventId {
    EventId { ms: number, seq: 0 }
}

fn event(number: i64) -> NewEvent<'static> {
    NewEvent {
        id: event_id(number),
        channel: "",
        emit_id: "e",
        meta: "{}",
        data: "1",
    }
}

fn source() -> Source {
    Source {
        id: id(),
        user_id: user(),
        component_id: ComponentId::parse("sc_a").unwrap(),
        name: "A".to_owned(),
        name_slug: "a".to_owned(),
        phase: Phase::Live,
        active: true,
        configured_props: Map::new(),
        dynamic_props: Vec::new(),
        retention: Retention::default(),
        version: 1,
        created_at: 1,
        updated_at: 1,
    }
}

/// The number of the next event.
async fn next(reader: &mut EventReader) -> i64 {
    match reader.next(Duration::ZERO).await.unwrap() {
        StreamedEvent::Stored(event) => event.id.ms,
        StreamedEvent::Live(live) => live.event.id.ms,
    }
}

#[tokio::test]
async fn a_hint_makes_readers_read_the_store() {
    let reading = Reading::new().await;
    let fence = reading.claim().await;
    let mut reader = reading.events().await;
    reading.commit(&fence, 1).await;
    reading.streams.events_elsewhere(&id());
    assert_eq!(next(&mut reader).await, 1);
}

#[tokio::test]
async fn events_without_a_hint_are_found_by_comparison() {
    let reading = Reading::new().await;
    let fence = reading.claim().await;
    let mut reader = reading.events().await;
    reading.commit(&fence, 1).await;
    reading.compare().await;
    assert_eq!(next(&mut reader).await, 1);
    reading.commit(&fence, 2).await;
    reading.compare().await;
    reading.compare().await;
    assert_eq!(next(&mut reader).await, 2);
    reading.commit(&fence, 3).await;
    reading.compare().await;
    assert_eq!(next(&mut reader).await, 3);
}

#[tokio::test]
async fn log_lines_without_a_hint_are_found_by_comparison() {
    let reading = Reading::new().await;
    let (user, source) = (user(), id());
    let follow = reading.streams.follow_logs(&user, &source, None);
    let mut reader = follow.await.unwrap();
    let waits = tokio::time::timeout(Duration::from_millis(100), reader.next());
    assert!(waits.await.is_err(), "it has read the store");
    let line = NewLog {
        invocation: None,
        ts: 1,
        kind: "log",
        level: "info",
        message: "hello",
    };
    reading
        .write(move |c| logs::insert(c, &id(), &line).map(drop))
        .await;
    reading.compare().await;
    assert_eq!(reader.next().await.unwrap().message, "hello");
}

#[tokio::test]
async fn a_node_that_takes_over_leaves_out_no_event_of_the_owner_before() {
    let reading = Reading::new().await;
    let elsewhere = reading.claim().await;
    let mut reader = reading.events().await;
    reading.commit(&elsewhere, 1).await;
    // The hint for this event is lost, and this node claims the source.
    let here = reading.claim().await;
    for number in 2..=3 {
        reading.commit(&here, number).await;
        let events = std::iter::once(event(number));
        reading.streams.publish(&id(), &here, events);
    }
    for number in 1..=3 {
        assert_eq!(next(&mut reader).await, number);
    }
}

#[tokio::test]
async fn the_comparison_leaves_feeds_of_the_owner_alone() {
    let reading = Reading::new().await;
    let here = reading.claim().await;
    let streams = &reading.streams;
    let mut feed = streams
        .feeds
        .subscribe(&id(), |feed| feed.events.subscribe());
    reading.commit(&here, 1).await;
    streams.publish(&id(), &here, std::iter::once(event(1)));
    assert!(matches!(feed.try_recv(), Ok(Announcement::Reload)));
    // This event is committed, and will be announced.
    reading.commit(&here, 2).await;
    reading.compare().await;
    assert!(feed.is_empty());
    streams.publish(&id(), &here, std::iter::once(event(2)));
    assert!(matches!(feed.try_recv(), Ok(Announcement::Event(_))));
}

#[tokio::test]
async fn streams_of_a_source_that_another_node_removed_end() {
    let reading = Reading::new().await;
    let mut reader = reading.events().await;
    reading.compare().await;
    assert_eq!(reading.streams.feeds.emitters().len(), 1);
    reading.write(|c| sources::remove(c, &id()).map(drop)).await;
    reading.compare().await;
    let end = reader.next(Duration::ZERO).await;
    assert!(matches!(end, Err(StreamEnd::Gone)));
}
