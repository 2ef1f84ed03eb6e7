//! `GET /sources/{id}/event_summaries`: what a summary holds, channels, and the 1 KB limit.

use serde_json::{Value, json};

use super::fixtures::{emit, emit_numbers, field_names, page, refused, text};
use crate::support::{Deployed, EMITTER, deploy, new_user};

async fn emitter() -> Deployed {
    deploy(&new_user().await, EMITTER).await
}

async fn shown(source: &Deployed, query: &str) -> Vec<Value> {
    page(
        &source.api,
        &source.path(&format!("/event_summaries{query}")),
    )
    .await
    .each("event")
}

/// Text whose JSON has this many bytes.
fn of_json_size(bytes: usize) -> String {
    "x".repeat(bytes - 2)
}

#[tokio::test]
async fn a_summary_has_the_fields_of_the_spec() {
    let source = emitter().await;
    emit(&source, &[json!([{ "temperature": 21.5 }])]).await;
    let summary = page(&source.api, &source.path("/event_summaries"))
        .await
        .rows
        .remove(0);
    let (ms, _) = text(&summary["id"])
        .split_once('-')
        .map(|(ms, seq)| (ms.to_owned(), seq.to_owned()))
        .expect("an event id");
    assert_eq!(
        summary["indexed_at_ms"],
        ms.parse::<u64>().expect("epoch milliseconds")
    );
    assert_eq!(text(&summary["metadata"]["emit_id"]).len(), 27);
    let expected = json!({
        "id": summary["id"], "indexed_at_ms": summary["indexed_at_ms"], "event": { "temperature": 21.5 },
        "metadata": { "emit_id": summary["metadata"]["emit_id"], "name": "", "emitter_id": source.id },
    });
    assert_eq!(summary, expected);
    assert_eq!(field_names(&summary), field_names(&expected));
}

#[tokio::test]
async fn metadata_has_the_id_summary_and_ts_of_the_emit() {
    let source = emitter().await;
    let metadata = json!({ "id": "my-id", "summary": "It happened", "ts": 1_600_000_000_000_u64, "name": "alerts" });
    emit(&source, &[json!([1, metadata])]).await;
    let summary = source.summaries().await.remove(0);
    let expected = json!({
        "emit_id": summary["metadata"]["emit_id"], "name": "alerts", "emitter_id": source.id, "id": "my-id",
        "summary": "It happened", "ts": 1_600_000_000_000_u64,
    });
    assert_eq!(summary["metadata"], expected);
}

#[tokio::test]
async fn metadata_id_is_a_string_and_ts_an_integer_though_they_were_emitted_otherwise() {
    let source = emitter().await;
    emit(
        &source,
        &[json!([1, { "id": 17, "ts": 1_600_000_000_000.9 }])],
    )
    .await;
    let metadata = source.summaries().await.remove(0)["metadata"].clone();
    assert_eq!(
        (&metadata["id"], &metadata["ts"]),
        (&json!("17"), &json!(1_600_000_000_000_u64))
    );
}

#[tokio::test]
async fn every_emit_has_an_emit_id_of_its_own() {
    let source = emitter().await;
    emit_numbers(&source, 20).await;
    let mut ids: Vec<_> = source
        .summaries()
        .await
        .iter()
        .map(|row| text(&row["metadata"]["emit_id"]))
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

#[tokio::test]
async fn the_default_and_custom_channels_are_shown_and_never_errors() {
    let source = emitter().await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    emit(&source, &[json!(["a"]), json!(["b", { "name": "custom" }])]).await;
    assert_eq!(shown(&source, "").await, ["b", "a"]);
}

#[tokio::test]
async fn event_name_selects_a_channel_and_the_default_one_has_two_names() {
    let source = emitter().await;
    source.run(json!({ "emits": 7 })).await;
    source.errors(1).await;
    emit(&source, &[json!(["a"]), json!(["b", { "name": "custom" }])]).await;
    for (name, expected) in [
        ("default", vec!["a"]),
        ("", vec!["a"]),
        ("custom", vec!["b"]),
        ("other", vec![]),
    ] {
        assert_eq!(
            shown(&source, &format!("?event_name={name}")).await,
            expected,
            "{name}"
        );
    }
    let errors = page(
        &source.api,
        &source.path("/event_summaries?event_name=$errors"),
    )
    .await;
    assert_eq!(errors.info["total_count"], 1);
    assert_eq!(errors.rows[0]["metadata"]["name"], "$errors");
    let custom = page(
        &source.api,
        &source.path("/event_summaries?event_name=custom"),
    )
    .await;
    assert_eq!(custom.info["total_count"], 1, "the channel's own");
}

#[tokio::test]
async fn data_up_to_1_kb_is_whole_and_above_it_a_marked_preview() {
    let source = emitter().await;
    let (fits, over) = (of_json_size(1024), of_json_size(1025));
    emit(&source, &[json!([fits]), json!([over])]).await;
    let preview =
        json!({ "$truncated": true, "size": 1025, "preview": format!("\"{}", "x".repeat(999)) });
    assert_eq!(shown(&source, "").await, [preview, json!(fits)]);
}

#[tokio::test]
async fn expand_event_returns_all_data() {
    let source = emitter().await;
    let large = json!({ "text": of_json_size(100_000), "list": [1, 2, 3] });
    emit(&source, &[json!([large])]).await;
    assert_eq!(shown(&source, "?expand=event").await, [large]);
}

#[tokio::test]
async fn a_preview_is_cut_between_characters() {
    let source = emitter().await;
    emit(&source, &[json!(["🦀".repeat(500)])]).await;
    let preview = shown(&source, "").await.remove(0);
    assert_eq!(preview["size"], 2002);
    assert_eq!(preview["preview"], format!("\"{}", "🦀".repeat(249)));
}

#[tokio::test]
async fn expand_takes_only_event() {
    let source = emitter().await;
    for value in ["", "true", "events", "Event"] {
        let answer = source
            .api
            .get(&source.path(&format!("/event_summaries?expand={value}")))
            .await;
        assert!(refused(answer, 400).contains("expand"));
    }
}

#[tokio::test]
async fn any_json_value_is_an_event_and_comes_back_as_it_was() {
    let source = emitter().await;
    let values = [
        json!(null),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
        json!("\0 ü 🦀 \u{2028}"),
    ];
    let emits: Vec<Value> = values.iter().map(|value| json!([value])).collect();
    emit(&source, &emits).await;
    assert_eq!(source.events(values.len()).await, values);
}
