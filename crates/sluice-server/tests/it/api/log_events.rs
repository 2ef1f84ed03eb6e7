//! `event_name=$logs`: log lines as the events of a channel.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::{Page, all_pages, page, refused, text};
use crate::support::{Deployed, PATIENCE, deploy, new_user};

const LOGGER: &str =
    r#"module.exports = { "name": "Logger", "version": "1", "run": { "log": "asked" } };"#;

async fn logger(lines: &[Value]) -> Deployed {
    let source = deploy(&new_user().await, LOGGER).await;
    source.run(json!({ "lines": lines })).await;
    let path = source.path("/logs?limit=1");
    wait_for(PATIENCE, "the log lines", async || {
        let list = page(&source.api, &path).await;
        (list.info["total_count"] == lines.len()).then_some(())
    })
    .await;
    source
}

fn numbered(count: usize) -> Vec<Value> {
    (1..=count).map(|n| json!(format!("line {n}"))).collect()
}

fn path(source: &Deployed, query: &str) -> String {
    source.path(&format!("/event_summaries?event_name=$logs&{query}"))
}

fn messages(page: &Page) -> Vec<Value> {
    page.rows
        .iter()
        .map(|row| row["event"]["msg"].clone())
        .collect()
}

#[tokio::test]
async fn a_log_line_is_an_event_of_its_channel() {
    let source = logger(&numbered(2)).await;
    let list = page(&source.api, &path(&source, "")).await;
    assert_eq!(messages(&list), ["line 2", "line 1"]);
    assert_eq!(list.info["total_count"], 2);
    let line = &list.rows[0];
    let stored = source.logs().await.pop().expect("a line");
    let event = json!({
        "ts": stored["ts"], "k": stored["k"], "msg": "line 2", "level": stored["level"],
    });
    assert_eq!(line["event"], event);
    assert_eq!(
        line["id"],
        format!("{}-{}", stored["ts"], text(&stored["id"]))
    );
    assert_eq!(line["metadata"]["name"], "$logs");
    assert_eq!(line["metadata"]["emitter_id"], source.id);
    assert!(line["metadata"]["emit_id"].is_string());
}

#[tokio::test]
async fn the_newest_100_lines_are_shown_page_by_page() {
    let source = logger(&numbered(105)).await;
    let pages = all_pages(&source.api, &path(&source, "limit=40")).await;
    let shown: Vec<Value> = pages.iter().flat_map(messages).collect();
    let expected: Vec<Value> = numbered(105).into_iter().rev().take(100).collect();
    assert_eq!(shown, expected);
    assert_eq!(pages[0].info["total_count"], 105);
    let cursor = pages[2].start_cursor();
    let ahead = page(
        &source.api,
        &path(&source, &format!("limit=40&before={cursor}")),
    )
    .await;
    assert_eq!(messages(&ahead), messages(&pages[1]));
    let place = cursor.split_once('-').expect("an id").1.to_owned();
    let same = page(
        &source.api,
        &path(&source, &format!("limit=40&before=0-{place}")),
    )
    .await;
    assert_eq!(messages(&same), messages(&ahead), "only the place counts");
}

#[tokio::test]
async fn lines_are_searched_by_message_and_time() {
    let mut lines = numbered(120);
    lines[3] = json!("a \"Quoted\" 100%\nword");
    let source = logger(&lines).await;
    let quoted = page(
        &source.api,
        &path(&source, "q=%22%5C%22quoted%5C%22%20100%25%0AW%22"),
    )
    .await;
    assert_eq!(messages(&quoted), [lines[3].clone()]);
    let many = page(&source.api, &path(&source, "q=line&limit=100")).await;
    assert_eq!(many.info["total_count"], 100);
    let rest = page(
        &source.api,
        &path(
            &source,
            &format!("q=line&limit=100&after={}", many.end_cursor()),
        ),
    )
    .await;
    assert_eq!(rest.rows.len(), 19);
    let future = page(&source.api, &path(&source, "since=2100-01-01")).await;
    assert_eq!(future.info["total_count"], 0);
    let all = page(&source.api, &path(&source, "since=2000-01-01&limit=30")).await;
    assert_eq!(all.info["total_count"], 30);
    let cursor = text(&all.info["searched_to"]);
    let next = format!("since=2000-01-01&limit=30&after={cursor}");
    let next = page(&source.api, &path(&source, &next)).await;
    assert_eq!(messages(&next)[0], lines[89]);
}

#[tokio::test]
async fn lines_are_deleted_by_name_with_bounds_or_without() {
    let source = logger(&numbered(5)).await;
    let list = page(&source.api, &path(&source, "")).await;
    let (second, fourth) = (text(&list.rows[3]["id"]), text(&list.rows[1]["id"]));
    let delete = async |bounds: &str, left: &[&str]| {
        let path_to_delete = source.path(&format!("/events?event_name=$logs{bounds}"));
        source.api.delete(&path_to_delete).await.expect(202);
        wait_for(PATIENCE, &format!("{left:?}"), async || {
            let list = page(&source.api, &path(&source, "")).await;
            (messages(&list) == left).then_some(())
        })
        .await;
    };
    let reversed = format!("/events?event_name=$logs&start_id={fourth}&end_id={second}");
    refused(source.api.delete(&source.path(&reversed)).await, 400);
    source.api.delete(&source.path("/events")).await.expect(202);
    delete(
        &format!("&start_id={second}&end_id={second}"),
        &["line 5", "line 4", "line 3", "line 1"],
    )
    .await;
    delete(&format!("&start_id={fourth}"), &["line 3", "line 1"]).await;
    delete("", &[]).await;
}
