//! Which events a stream shows: `event_name` selects a channel as it does in lists.

use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::{EMITTER, reader::Reader};
use crate::support::{Deployed, deploy, new_user, shared_server};

async fn follow(source: &Deployed, query: &str) -> Reader {
    let url = shared_server(Backend::Sqlite).url();
    let path = format!("/sources/{}/sse{query}", source.id);
    Reader::open(url, &source.api, &path, None).await
}

#[tokio::test]
async fn a_stream_shows_the_channel_that_is_asked_for() {
    let source = deploy(&new_user().await, EMITTER).await;
    let mut all = follow(&source, "").await;
    let mut default = follow(&source, "?event_name=default").await;
    let mut unnamed = follow(&source, "?event_name=").await;
    let mut custom = follow(&source, "?event_name=custom").await;
    let mut errors = follow(&source, "?event_name=$errors").await;
    let emits = json!([[1], [2, { "name": "custom", "id": "a", "summary": "S", "ts": 5 }], [3]]);
    source.run(json!({ "emits": emits, "fail": "oh no" })).await;
    source.errors(1).await;
    let data = |messages: Vec<super::reader::Message>| -> Vec<Value> {
        messages
            .iter()
            .map(|message| message.event().clone())
            .collect()
    };
    assert_eq!(data(all.take(3).await), [1, 2, 3]);
    assert_eq!(data(default.take(2).await), [1, 3]);
    assert_eq!(data(unnamed.take(2).await), [1, 3]);
    let two = custom.next().await;
    assert_eq!(two.event(), 2);
    let metadata = &two.data["metadata"];
    assert_eq!(
        [
            &metadata["name"],
            &metadata["id"],
            &metadata["summary"],
            &metadata["ts"]
        ],
        [&json!("custom"), &json!("a"), &json!("S"), &json!(5)]
    );
    let error = errors.next().await;
    assert_eq!(error.event()["error"]["msg"], "oh no");
    assert_eq!(error.data["metadata"]["name"], "$errors");
    for reader in [
        &mut all,
        &mut default,
        &mut unnamed,
        &mut custom,
        &mut errors,
    ] {
        assert!(reader.is_silent().await);
    }
}

#[tokio::test]
async fn the_log_is_a_channel() {
    let source = deploy(&new_user().await, EMITTER).await;
    let mut lines = follow(&source, "?event_name=$logs").await;
    source
        .run(json!({ "log": ["one", "two\nlines"], "emits": [[1]] }))
        .await;
    let messages = lines.take(2).await;
    let logged = source.logs().await;
    for (message, line) in messages.iter().zip(&logged) {
        let id = format!("{}-{}", line["ts"], line["id"].as_str().expect("a number"));
        assert_eq!(message.id, id);
        let event =
            json!({ "ts": line["ts"], "k": line["k"], "msg": line["msg"], "level": line["level"] });
        assert_eq!(
            message.data,
            json!({ "id": id, "indexed_at_ms": line["ts"], "event": event,
                "metadata": { "emit_id": id, "name": "$logs", "emitter_id": source.id } })
        );
    }
    assert_eq!(messages[1].event()["msg"], "two\nlines");
}

/// What `POST /run` gets may be spread over lines, and comes back within an error.
#[tokio::test]
async fn an_event_that_was_sent_on_several_lines_is_one_line() {
    let source = deploy(&new_user().await, EMITTER).await;
    let mut errors = follow(&source, "?event_name=$errors").await;
    let body = "{\"event\": {\r\n\"fail\":\n\"spread\"\r}}";
    let run = source
        .api
        .request(sluice_testkit::Method::POST, &source.path("/run"));
    run.header("content-type", "application/json")
        .body(body)
        .send()
        .await
        .expect(200);
    let error = errors.next().await;
    assert_eq!(error.event()["original_event"], json!({ "fail": "spread" }));
}
