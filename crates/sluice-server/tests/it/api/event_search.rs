//! `GET /sources/{id}/event_summaries` with `q`, `since` and `until`: all that is kept is searched.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{Page, all_pages, emit, emit_numbers, escaped, page, refused};
use crate::support::{Deployed, EMITTER, deploy, new_user};

async fn found(source: &Deployed, query: &str) -> Vec<Value> {
    let path = source.path(&format!("/event_summaries?limit=100&{query}"));
    let pages = searched(&source.api, &path).await;
    pages.iter().flat_map(|page| page.each("event")).collect()
}

async fn with_text(source: &Deployed, text: &str) -> Vec<Value> {
    found(source, &format!("q={}", escaped(text))).await
}

#[tokio::test]
async fn text_is_found_in_keys_values_and_summaries_in_either_case() {
    let source = deploy(&new_user().await, EMITTER).await;
    let (key, value) = (json!({ "Order": 1 }), json!({ "a": ["my ORDER", "Köln"] }));
    let summary = json!([7, { "summary": "An order", "id": "hidden" }]);
    emit(
        &source,
        &[json!([key]), json!([value]), summary, json!([8])],
    )
    .await;
    let all = [json!(7), value.clone(), key];
    assert_eq!(with_text(&source, "order").await, all);
    assert_eq!(with_text(&source, "ORDER").await, all);
    assert_eq!(with_text(&source, "köln").await, [value]);
    assert_eq!(with_text(&source, "order -köln").await.len(), 2);
    assert_eq!(with_text(&source, "KÖLN").await.len(), 1);
    assert_eq!(with_text(&source, "hidden").await, [json!(null); 0]);
    assert_eq!(with_text(&source, "summary").await, [json!(null); 0]);
}

#[tokio::test]
async fn fields_are_compared() {
    let source = deploy(&new_user().await, EMITTER).await;
    let order = |total: u32, status: &str| json!([{ "total": total, "status": status }]);
    let emits = [order(50, "paid"), order(150, "Paid"), order(250, "open")];
    emit(&source, &emits).await;
    let totals = async |text: &str| -> Vec<Value> {
        let found = with_text(&source, text).await;
        found.iter().map(|event| event["total"].clone()).collect()
    };
    assert_eq!(totals("total:>100 status:paid").await, [150]);
    assert_eq!(totals("total:100..250").await, [250, 150]);
    assert_eq!(totals("-status:paid").await, [250]);
    assert_eq!(totals("status:*").await, [250, 150, 50]);
    assert_eq!(totals("status:!=open total:<60").await, [50]);
}

#[tokio::test]
async fn text_is_taken_literally_in_quotes() {
    let source = deploy(&new_user().await, EMITTER).await;
    let values = [
        "100%",
        "snake_case",
        "say \"hi\"",
        "two\nlines",
        "back\\slash",
        "wow!",
    ];
    let emits: Vec<Value> = values.iter().map(|value| json!([value])).collect();
    emit(&source, &emits).await;
    let quoted = ["0%", "e_c", "\"\\\"hi\\\"\"", "\"o\nl\"", "k\\s", "w!"];
    for (text, value) in quoted.iter().zip(values) {
        assert_eq!(with_text(&source, text).await, [value], "{text:?}");
    }
}

#[tokio::test]
async fn a_search_goes_beyond_the_newest_100_page_by_page() {
    let source = deploy(&new_user().await, EMITTER).await;
    let emits: Vec<Value> = (1..=260)
        .map(|n| json!([{ "n": n, "even": n % 2 == 0 }]))
        .collect();
    emit(&source, &emits).await;
    let path = source.path("/event_summaries?limit=50&q=true&include=event");
    let pages = all_pages(&source.api, &path).await;
    assert_eq!(pages.len(), 3);
    let info = &pages[0].info;
    assert_eq!(
        (&info["total_count"], &info["count"]),
        (&json!(50), &json!(50))
    );
    assert_eq!(info["searched_to"], info["end_cursor"]);
    assert_eq!(pages[2].info["searched_to"], Value::Null);
    let numbers = pages.iter().flat_map(|page| page.each("event"));
    let numbers: Vec<Value> = numbers.map(|event| event["n"].clone()).collect();
    let expected: Vec<Value> = (1..=130).rev().map(|half| json!(half * 2)).collect();
    assert_eq!(numbers, expected);
    let cursor = pages[2].start_cursor();
    let ahead = page(&source.api, &format!("{path}&before={cursor}")).await;
    assert_eq!(ahead.rows, pages[1].rows);
}

#[tokio::test]
async fn times_are_included_and_written_in_two_ways() {
    let source = deploy(&new_user().await, EMITTER).await;
    for number in 1..=3 {
        emit(&source, &[json!([number])]).await;
    }
    let mut times: Vec<i64> = page(&source.api, &source.path("/event_summaries"))
        .await
        .rows
        .iter()
        .map(|row| row["indexed_at_ms"].as_i64().expect("a time"))
        .collect();
    times.reverse();
    // Every run commits by itself, so each event has a time of its own.
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    let from_2 = format!("since={}", times[1]);
    assert_eq!(found(&source, &from_2).await, [3, 2]);
    assert_eq!(found(&source, &format!("until={}", times[1])).await, [2, 1]);
    let far = "until=2100-01-01T00:00:00Z";
    assert_eq!(found(&source, &format!("{from_2}&{far}")).await, [3, 2]);
    assert_eq!(
        found(&source, &format!("{from_2}&until={}", times[1])).await,
        [2]
    );
    assert_eq!(found(&source, &format!("{from_2}&q=3")).await, [3]);
    assert_eq!(
        found(&source, "since=2000-01-01&until=2001-01-01").await,
        [0; 0]
    );
}

#[tokio::test]
async fn a_search_goes_with_channels_and_expand() {
    let source = deploy(&new_user().await, EMITTER).await;
    let large = "needle".repeat(1_000);
    emit(
        &source,
        &[json!(["needle"]), json!([large, { "name": "custom" }])],
    )
    .await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    assert_eq!(
        found(&source, "q=needle&event_name=default").await,
        ["needle"]
    );
    let custom = found(&source, "q=needle&event_name=custom").await;
    assert_eq!(custom[0]["$truncated"], true);
    let whole = found(&source, "q=needle&event_name=custom&expand=event").await;
    assert_eq!(whole, [large]);
    assert_eq!(found(&source, "q=no%20list").await, [0; 0]);
    assert_eq!(
        found(&source, "q=no%20list&event_name=$errors").await.len(),
        1
    );
}

#[tokio::test]
async fn empty_text_is_no_search() {
    let source = deploy(&new_user().await, EMITTER).await;
    emit_numbers(&source, 105).await;
    let path = source.path("/event_summaries?limit=100&q=");
    assert_eq!(page(&source.api, &path).await.rows.len(), 100);
    let list = page(&source.api, &source.path("/event_summaries?q=&limit=1")).await;
    assert_eq!(list.info["total_count"], 105);
}

#[tokio::test]
async fn a_search_that_makes_no_sense_is_400_and_names_the_parameter() {
    let source = deploy(&new_user().await, EMITTER).await;
    let long = format!("q={}", "x%20".repeat(501));
    for (query, name) in [
        (long.as_str(), "q"),
        ("q=a%00b", "q"),
        ("q=total:", "q"),
        ("since=tomorrow", "since"),
        ("until=", "until"),
        ("since=2&until=1", "since"),
    ] {
        let path = source.path(&format!("/event_summaries?{query}"));
        let error = refused(source.api.get(&path).await, 400);
        assert!(error.starts_with(name), "{error}");
    }
    let longest = "x".repeat(1_000);
    assert_eq!(with_text(&source, &longest).await, [0; 0]);
    let path = source.path("/event_summaries?q=a%20total:%3E");
    let body = source.api.get(&path).await.expect(400);
    assert_eq!(body["error"], "q: a value is missing, at character 10");
    let detail = json!({ "position": 10, "message": "a value is missing" });
    assert_eq!(body["details"], json!({ "q": [detail] }));
}

#[tokio::test]
async fn events_that_take_more_than_one_step_to_search_are_all_found() {
    let source = deploy(&new_user().await, EMITTER).await;
    let filler = "y".repeat(900_000);
    for number in 0..10 {
        emit(&source, &[json!([{ "number": number, "filler": filler }])]).await;
    }
    let path = source.path("/event_summaries?q=YYYY&limit=100");
    let pages = searched(&source.api, &path).await;
    let rows: usize = pages.iter().map(|page| page.rows.len()).sum();
    assert_eq!(rows, 10);
}

/// Follows `searched_to` to the end of the search.
async fn searched(api: &Api, path: &str) -> Vec<Page> {
    let mut pages = vec![page(api, path).await];
    while let Some(cursor) = pages[pages.len() - 1].info["searched_to"].as_str() {
        let next = format!("{path}&after={cursor}");
        pages.push(page(api, &next).await);
    }
    pages
}
