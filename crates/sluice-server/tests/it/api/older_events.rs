//! `GET /sources/{id}/events`: the list as older clients read it.

use serde_json::{Value, json};

use super::fixtures::{Page, emit, emit_numbers, field_names, page, refused};
use crate::support::{Deployed, EMITTER, deploy, new_user};

async fn emitter(events: u64) -> Deployed {
    let source = deploy(&new_user().await, EMITTER).await;
    emit_numbers(&source, events).await;
    source
}

async fn values(source: &Deployed, query: &str) -> Vec<Value> {
    page(&source.api, &source.path(&format!("/events{query}")))
        .await
        .each("e")
}

fn id_of(row: Option<&Value>) -> &str {
    row.and_then(|row| row["id"].as_str()).expect("a row")
}

#[tokio::test]
async fn a_row_has_the_event_under_e() {
    let source = deploy(&new_user().await, EMITTER).await;
    emit(
        &source,
        &[json!([{ "a": 1 }, { "id": "x", "name": "custom" }])],
    )
    .await;
    let summary = source.summaries().await.remove(0);
    let list = page(&source.api, &source.path("/events")).await;
    let row = &list.rows[0];
    assert_eq!(field_names(row), ["id", "k", "ts", "e", "metadata"]);
    let expected = json!({
        "id": summary["id"], "k": "emit", "ts": summary["indexed_at_ms"], "e": { "a": 1 },
        "metadata": summary["metadata"],
    });
    assert_eq!(*row, expected);
    let info = json!({ "total_count": 1, "count": 1, "start_cursor": null, "end_cursor": null });
    assert_eq!(list.info, info);
}

#[tokio::test]
async fn n_goes_before_limit_and_both_are_newest_first() {
    let source = emitter(12).await;
    let newest = |count: u64| -> Vec<Value> { (13 - count..=12).rev().map(Value::from).collect() };
    assert_eq!(values(&source, "").await, newest(10));
    assert_eq!(values(&source, "?n=3").await, newest(3));
    assert_eq!(values(&source, "?limit=4").await, newest(4));
    assert_eq!(values(&source, "?n=2&limit=4").await, newest(2));
    assert_eq!(values(&source, "?n=5000").await, newest(12));
    assert_eq!(values(&source, "?n=1&limit=none").await, newest(1));
}

#[tokio::test]
async fn what_is_no_number_from_1_is_400() {
    let source = emitter(1).await;
    for (query, name) in [
        ("n=0", "n"),
        ("n=", "n"),
        ("n=-1", "n"),
        ("n=ten", "n"),
        ("limit=0", "limit"),
        ("expand=all", "expand"),
        ("after=x", "after"),
    ] {
        let path = source.path(&format!("/events?{query}"));
        let error = refused(source.api.get(&path).await, 400);
        assert!(error.starts_with(name), "{error}");
    }
}

#[tokio::test]
async fn events_are_whole_however_large() {
    let source = deploy(&new_user().await, EMITTER).await;
    let large = "x".repeat(100_000);
    emit(&source, &[json!([large])]).await;
    for query in ["", "?expand=event"] {
        assert_eq!(values(&source, query).await, [large.as_str()]);
    }
}

#[tokio::test]
async fn the_default_and_custom_channels_are_shown_and_event_name_selects_one() {
    let source = deploy(&new_user().await, EMITTER).await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    emit(&source, &[json!(["a"]), json!(["b", { "name": "custom" }])]).await;
    assert_eq!(values(&source, "").await, ["b", "a"]);
    assert_eq!(values(&source, "?event_name=default").await, ["a"]);
    assert_eq!(values(&source, "?event_name=custom").await, ["b"]);
    assert_eq!(values(&source, "?event_name=$errors").await.len(), 1);
}

#[tokio::test]
async fn pages_go_on_with_ids_of_events_and_end_with_the_newest_100() {
    let source = emitter(105).await;
    let first = page(&source.api, &source.path("/events?n=40")).await;
    assert_eq!(first.info["total_count"], 105);
    let after = async |page_before: &Page| {
        let id = id_of(page_before.rows.last());
        page(
            &source.api,
            &source.path(&format!("/events?n=40&after={id}")),
        )
        .await
    };
    let second = after(&first).await;
    let third = after(&second).await;
    assert_eq!([second.rows.len(), third.rows.len()], [40, 20]);
    let before = format!("?n=40&before={}", id_of(third.rows.first()));
    assert_eq!(values(&source, &before).await, second.each("e"));
    let only = page(&source.api, &source.path("/events?n=1&include=e")).await;
    assert_eq!(only.rows, [json!({ "e": 105 })]);
}
