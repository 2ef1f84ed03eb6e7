//! `GET /sources/{id}/event_summaries`: order, pages, cursors, and the window of the newest 100.

use serde_json::{Value, json};

use super::fixtures::{all_pages, emit_numbers, page, text};
use crate::support::{Deployed, EMITTER, deploy, new_user};

async fn emitter(events: u64) -> Deployed {
    let source = deploy(&new_user().await, EMITTER).await;
    emit_numbers(&source, events).await;
    source
}

fn path(source: &Deployed, query: &str) -> String {
    source.path(&format!("/event_summaries?{query}"))
}

fn countdown(from: u64, to: u64) -> Vec<Value> {
    (to..=from).rev().map(Value::from).collect()
}

fn order_of(id: &Value) -> (u64, u64) {
    let id = text(id);
    let (ms, seq) = id.split_once('-').expect("an event id");
    (
        ms.parse().expect("a number"),
        seq.parse().expect("a number"),
    )
}

#[tokio::test]
async fn events_are_newest_first_and_10_to_a_page_unless_told_otherwise() {
    let source = emitter(12).await;
    let first = page(&source.api, &source.path("/event_summaries")).await;
    assert_eq!(first.each("event"), countdown(12, 3));
    assert_eq!(
        (&first.info["total_count"], &first.info["count"]),
        (&json!(12), &json!(10))
    );
}

#[tokio::test]
async fn delete_events_rule_5_ids_are_ordered_by_emission() {
    let source = emitter(5).await;
    emit_numbers(&source, 5).await;
    let ids: Vec<_> = page(&source.api, &path(&source, "limit=10"))
        .await
        .each("id")
        .iter()
        .map(order_of)
        .collect();
    assert!(ids.is_sorted_by(|newer, older| newer > older), "{ids:?}");
}

#[tokio::test]
async fn limit_n_returns_the_last_n_events() {
    let source = emitter(5).await;
    for limit in [1, 3, 5, 50] {
        let rows = page(&source.api, &path(&source, &format!("limit={limit}")))
            .await
            .each("event");
        let oldest_shown = 6_u64.saturating_sub(limit).max(1);
        assert_eq!(rows, countdown(5, oldest_shown), "{limit}");
    }
}

#[tokio::test]
async fn cursors_are_the_ids_of_the_first_and_the_last_event_of_the_page() {
    let source = emitter(3).await;
    let list = page(&source.api, &path(&source, "limit=2")).await;
    assert_eq!(list.info["start_cursor"], list.rows[0]["id"]);
    assert_eq!(list.info["end_cursor"], list.rows[1]["id"]);
}

#[tokio::test]
async fn a_source_without_events_has_an_empty_page() {
    let source = emitter(0).await;
    let list = page(&source.api, &path(&source, "limit=5")).await;
    assert_eq!(
        list.info,
        json!({ "total_count": 0, "count": 0, "start_cursor": null, "end_cursor": null })
    );
}

#[tokio::test]
async fn paging_with_after_shows_everything_once_and_ends_in_an_empty_page() {
    let source = emitter(8).await;
    let pages = all_pages(&source.api, &path(&source, "limit=3")).await;
    let events: Vec<Value> = pages.iter().flat_map(|page| page.each("event")).collect();
    assert_eq!(events, countdown(8, 1));
    assert_eq!(pages.len(), 3);
}

#[tokio::test]
async fn before_gives_the_events_just_ahead_of_the_cursor() {
    let source = emitter(6).await;
    let all = page(&source.api, &path(&source, "limit=6")).await;
    let cursor = text(&all.rows[4]["id"]);
    let ahead = page(
        &source.api,
        &path(&source, &format!("limit=2&before={cursor}")),
    )
    .await;
    assert_eq!(ahead.each("event"), countdown(4, 3));
    let newest = page(
        &source.api,
        &path(&source, &format!("before={}", all.start_cursor())),
    )
    .await;
    assert!(newest.rows.is_empty());
}

#[tokio::test]
async fn a_cursor_stays_valid_when_its_event_is_gone() {
    let source = emitter(4).await;
    let first = page(&source.api, &path(&source, "limit=2")).await;
    let cursor = first.end_cursor();
    let range = format!("/events?start_id={cursor}&end_id={cursor}");
    source.api.delete(&source.path(&range)).await.expect(202);
    let rest = page(&source.api, &path(&source, &format!("after={cursor}"))).await;
    assert_eq!(rest.each("event"), countdown(2, 1));
}

#[tokio::test]
async fn never_more_than_the_newest_100_though_total_count_counts_all() {
    let source = emitter(105).await;
    for limit in ["100", "101", "5000"] {
        let list = page(&source.api, &path(&source, &format!("limit={limit}"))).await;
        assert_eq!(list.each("event"), countdown(105, 6), "{limit}");
        assert_eq!(list.info["total_count"], 105);
    }
    let pages = all_pages(&source.api, &path(&source, "limit=40")).await;
    let sizes: Vec<usize> = pages.iter().map(|page| page.rows.len()).collect();
    assert_eq!(sizes, [40, 40, 20], "a page after the 100th event is empty");
}

#[tokio::test]
async fn the_window_of_100_is_that_of_the_selected_channel() {
    let source = deploy(&new_user().await, EMITTER).await;
    let quiet = json!(["rare", { "name": "quiet" }]);
    let emits: Vec<Value> = [quiet]
        .into_iter()
        .chain((0..100).map(|number| json!([number])))
        .collect();
    super::fixtures::emit(&source, &emits).await;
    let list = page(&source.api, &path(&source, "event_name=quiet")).await;
    assert_eq!(list.each("event"), ["rare"]);
}
