//! `GET /sources/{id}/logs`.

use serde_json::{Value, json};

use super::fixtures::{all_pages, field_names, page, refused, text};
use crate::support::{Deployed, deploy, new_user};

/// Logs the lines of its event.
const LOGGER: &str =
    r#"module.exports = { "name": "Logger", "version": "1", "run": { "log": "asked" } };"#;

async fn counter(lines: u64) -> (Deployed, String) {
    let source = deploy(&new_user().await, LOGGER).await;
    let numbered: Vec<String> = (1..=lines).map(|line| format!("line {line}.")).collect();
    let invocation = text(&source.run(json!({ "lines": numbered })).await["id"]);
    source.log_with(&format!("line {lines}.")).await;
    (source, invocation)
}

fn messages(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| text(&row["msg"])).collect()
}

fn countdown(from: u64, to: u64) -> Vec<String> {
    (to..=from)
        .rev()
        .map(|line| format!("line {line}."))
        .collect()
}

#[tokio::test]
async fn a_line_has_its_id_time_kind_level_message_and_invocation() {
    let (source, invocation) = counter(1).await;
    let list = page(&source.api, &source.path("/logs")).await;
    let line = &list.rows[0];
    assert_eq!(
        field_names(line),
        ["id", "ts", "k", "level", "msg", "invocation_id"]
    );
    assert_eq!(
        (&line["msg"], &line["invocation_id"]),
        (&json!("line 1."), &json!(invocation))
    );
    let created_ms = source.source["created_at"].as_i64().expect("epoch seconds") * 1000;
    assert!(line["ts"].as_i64() >= Some(created_ms), "{line}");
    assert_eq!(list.info["start_cursor"], line["id"]);
}

#[tokio::test]
async fn a_source_that_never_ran_has_an_empty_log() {
    let source = deploy(&new_user().await, LOGGER).await;
    let list = page(&source.api, &source.path("/logs")).await;
    assert_eq!(
        list.info,
        json!({ "total_count": 0, "count": 0, "start_cursor": null, "end_cursor": null })
    );
}

#[tokio::test]
async fn lines_are_newest_first_and_10_to_a_page_unless_told_otherwise() {
    let (source, _) = counter(12).await;
    let first = page(&source.api, &source.path("/logs")).await;
    assert_eq!(messages(&first.rows), countdown(12, 3));
    assert_eq!(
        (&first.info["total_count"], &first.info["count"]),
        (&json!(12), &json!(10))
    );
}

#[tokio::test]
async fn paging_with_after_shows_everything_once_and_ends_in_an_empty_page() {
    let (source, _) = counter(7).await;
    let pages = all_pages(&source.api, &source.path("/logs?limit=3")).await;
    let lines: Vec<String> = pages.iter().flat_map(|page| messages(&page.rows)).collect();
    assert_eq!(lines, countdown(7, 1));
}

#[tokio::test]
async fn before_gives_the_lines_just_ahead_of_the_cursor() {
    let (source, _) = counter(6).await;
    let all = page(&source.api, &source.path("/logs")).await;
    let cursor = text(&all.rows[4]["id"]);
    let ahead = page(
        &source.api,
        &source.path(&format!("/logs?limit=2&before={cursor}")),
    )
    .await;
    assert_eq!(messages(&ahead.rows), countdown(4, 3));
}

#[tokio::test]
async fn a_page_has_at_most_100_lines_whatever_the_limit() {
    let (source, _) = counter(101).await;
    let list = page(&source.api, &source.path("/logs?limit=500")).await;
    assert_eq!(messages(&list.rows), countdown(101, 2));
    assert_eq!(list.info["total_count"], 101);
}

#[tokio::test]
async fn a_log_holds_the_lines_of_its_source_alone() {
    let (source, _) = counter(1).await;
    let other = deploy(&source.api, LOGGER).await;
    other.run(json!({ "lines": ["line 2."] })).await;
    other.log_with("line 2.").await;
    assert_eq!(messages(&source.logs().await), ["line 1."]);
}

#[tokio::test]
async fn lines_are_searched_by_query_and_time() {
    let (source, invocation) = counter(20).await;
    let found = async |query: &str| {
        let path = source.path(&format!("/logs?limit=100&{query}"));
        let list = page(&source.api, &path).await;
        assert_eq!(list.info["searched_to"], Value::Null);
        messages(&list.rows)
    };
    assert_eq!(found("q=line%201").await.len(), 11);
    assert_eq!(found("q=%22line%203.%22").await, ["line 3."]);
    assert_eq!(found("q=-1%20level:info").await.len(), 9);
    assert_eq!(found(&format!("q=invocation:{invocation}")).await.len(), 20);
    assert_eq!(found("since=2100-01-01").await, [""; 0]);
    assert_eq!(found("until=2100-01-01").await, countdown(20, 1));
    let wrong = source.api.get(&source.path("/logs?q=level:")).await;
    assert_eq!(refused(wrong, 400), "q: a value is missing, at character 7");
}
