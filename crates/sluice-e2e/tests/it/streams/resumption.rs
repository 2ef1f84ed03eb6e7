//! Going on from stored history, without gap or repeat.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Server, wait_for};

use super::{
    EMITTER, emit,
    reader::{Message, Reader},
};
use crate::support::{PATIENCE, deploy, new_user_on, own_server, shared_server};

fn numbers(messages: &[Message]) -> Vec<u64> {
    let number = |message: &Message| message.event()["n"].as_u64().expect("a number");
    messages.iter().map(number).collect()
}

#[rstest]
#[tokio::test]
async fn a_reader_goes_on_where_it_left_off(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let url = shared_server(backend).url();
    let source = deploy(&new_user_on(backend).await, EMITTER).await;
    let path = format!("/sources/{}/sse", source.id);
    let mut first = Reader::open(url, &source.api, &path, None).await;
    // More than a page, and more than a feed holds.
    source.run(json!({ "times": 700 })).await;
    let all = first.take(700).await;
    assert_eq!(numbers(&all), (0..700).collect::<Vec<_>>());
    drop(first);

    let mut resumed = Reader::open(url, &source.api, &path, Some(&all[10].id)).await;
    assert_eq!(resumed.take(689).await, all[11..]);
    emit(&source, &json!({ "n": 700 })).await;
    let live = resumed.next().await;
    assert_eq!(live.event()["n"], 700);
    let query = format!("{path}?last_event_id={}", all[699].id);
    let mut by_query = Reader::open(url, &source.api, &query, None).await;
    assert_eq!(by_query.next().await, live);
    // From the beginning; and from an id that is none of its events.
    let mut whole = Reader::open(url, &source.api, &path, Some("0-0")).await;
    assert_eq!(whole.take(700).await, all);
    assert_eq!(whole.next().await, live);
    let mut later = Reader::open(url, &source.api, &path, Some("99999999999999-0")).await;
    assert!(later.is_silent().await);
}

#[tokio::test]
async fn what_is_pruned_is_passed_over() {
    let options = own_server().arg("--event-retention").arg("5");
    let server = Server::start(options).await;
    let source = deploy(&server.api(), EMITTER).await;
    let path = format!("/sources/{}/sse", source.id);
    let mut reader = Reader::open(server.url(), &source.api, &path, None).await;
    let mut all = Vec::new();
    for _ in 0..6 {
        source.run(json!({ "times": 100 })).await;
        all.extend(reader.take(100).await);
    }
    // A reader that comes while it is pruned may miss what is in the middle; then the next sees what is left.
    wait_for(PATIENCE, "the end of what there was", async || {
        let mut resumed = Reader::open(server.url(), &source.api, &path, Some(&all[0].id)).await;
        let mut found = resumed.take(1).await;
        while found.last() != all.last() {
            found.extend(resumed.take(1).await);
        }
        (found.len() < all.len() - 1 && found == all[all.len() - found.len()..]).then_some(())
    })
    .await;
}

/// Readers come back at any moment while events are stored one after another: none has a gap or a repeat.
#[rstest]
#[tokio::test]
async fn history_and_live_events_join_without_a_seam(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    const EVENTS: usize = 600;
    let url = shared_server(backend).url();
    let source = deploy(&new_user_on(backend).await, EMITTER).await;
    let path = format!("/sources/{}/sse?event_name=default", source.id);
    let emitting = async {
        for n in 0..EVENTS / 4 {
            let emits: Vec<Value> = (0..4).map(|i| json!([{ "n": n * 4 + i }])).collect();
            source.run(json!({ "emits": emits })).await;
        }
    };
    // Takes a few events at a time, and comes back for the next.
    let restless = async |portion: usize| {
        let mut messages: Vec<Message> = Vec::new();
        while messages.len() < EVENTS {
            let last = messages.last().map_or("0-0", |message| message.id.as_str());
            let mut reader = Reader::open(url, &source.api, &path, Some(last)).await;
            let wanted = portion.min(EVENTS - messages.len());
            messages.extend(reader.take(wanted).await);
        }
        let mut found = numbers(&messages);
        let ids: std::collections::BTreeSet<_> = messages.iter().map(|m| m.id.clone()).collect();
        assert_eq!(ids.len(), EVENTS);
        found.sort_unstable();
        assert_eq!(found, (0..EVENTS as u64).collect::<Vec<_>>());
        messages
    };
    let ((), some, more) = tokio::join!(emitting, restless(7), restless(90));
    assert_eq!(some, more);
}
