//! Where streams are, who may read them, and what they look like.

use sluice_testkit::{Backend, Method};

use super::{
    EMITTER, emit,
    reader::{Text, ask},
};
use crate::support::{Deployed, deploy, new_user, shared_server};

fn event_addresses(source: &Deployed) -> [String; 4] {
    let id = &source.id;
    [
        format!("/sources/{id}/sse"),
        format!("/v1/sources/{id}/sse"),
        format!("/sse/dc/{id}/emits"),
        format!("/v1/sse/dc/{id}/emits"),
    ]
}

fn addresses(source: &Deployed) -> Vec<String> {
    let id = &source.id;
    let mut addresses = event_addresses(source).to_vec();
    addresses.push(format!("/sse/dc/{id}/observations"));
    addresses.push(format!("/v1/sse/dc/{id}/observations"));
    addresses
}

#[tokio::test]
async fn all_addresses_give_the_same_stream_with_a_handshake_at_once() {
    let url = shared_server(Backend::Sqlite).url();
    let source = deploy(&new_user().await, EMITTER).await;
    let mut readers = Vec::new();
    for path in event_addresses(&source) {
        let response = ask(&format!("{url}{path}"), source.api.key(), None).await;
        let response = response.expect("an answer");
        let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
        assert_eq!(header("content-type"), "text/event-stream");
        assert_eq!(header("cache-control"), "no-cache");
        assert_eq!(header("x-accel-buffering"), "no");
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-origin")
        );
        let mut reader = Text::of(response);
        reader
            .until("handshake", |text| text.ends_with("\n\nretry: 1000\n\n"))
            .await;
        assert_eq!(reader.text, ":sse-handshake\n\nretry: 1000\n\n");
        readers.push(reader);
    }
    emit(
        &source,
        &serde_json::json!({ "text": "x".repeat(3000), "line": "a\nb\r\u{2028}" }),
    )
    .await;
    source.events(1).await;
    let summary = source.summaries().await.remove(0);
    let id = summary["id"].as_str().expect("an id");
    for mut reader in readers {
        reader.text.clear();
        reader.until("event", |text| text.ends_with("\n\n")).await;
        assert_eq!(reader.text, format!("id: {id}\ndata: {summary}\n\n"));
    }
}

#[tokio::test]
async fn the_handshake_is_repeated_though_events_flow() {
    let url = shared_server(Backend::Sqlite).url();
    let source = deploy(&new_user().await, EMITTER).await;
    let silent = format!("{url}/sources/{}/sse?event_name=none", source.id);
    let lines = format!("{url}/sse/dc/{}/observations", source.id);
    let busy = format!("{url}/sources/{}/sse", source.id);
    let again = async |address: &str| {
        let mut reader = Text::of(
            ask(address, source.api.key(), None)
                .await
                .expect("a server"),
        );
        let is_again = |text: &str| text.matches(":sse-handshake\n\n").count() == 2;
        reader.until("second handshake", is_again).await;
    };
    let emitting = async {
        loop {
            emit(&source, &serde_json::json!(1)).await;
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(again(&silent), again(&lines), again(&busy)) } => {}
        () = emitting => {}
    }
}

#[tokio::test]
async fn streams_are_for_the_owner_and_for_get_alone() {
    let server = shared_server(Backend::Sqlite);
    let source = deploy(&new_user().await, EMITTER).await;
    let stranger = new_user().await;
    for path in addresses(&source) {
        let request = |method| source.api.root(method, &path);
        let bearer = |key: &str| format!("Bearer {key}");
        request(Method::GET).send().await.expect(401);
        let theirs = request(Method::GET).header("authorization", &bearer(stranger.key()));
        theirs.send().await.expect(404);
        for method in [Method::HEAD, Method::POST, Method::PUT, Method::DELETE] {
            let mine = request(method).header("authorization", &bearer(source.api.key()));
            mine.send().await.expect(405);
        }
        let unknown = path.replace(&source.id, "dc_unknown");
        let answer = ask(
            &format!("{}{unknown}", server.url()),
            source.api.key(),
            None,
        )
        .await;
        assert_eq!(answer.expect("an answer").status(), 404);
        for bad in ["x", "1", "-1-2", "1-2-3"] {
            let answer = ask(
                &format!("{}{path}", server.url()),
                source.api.key(),
                Some(bad),
            )
            .await;
            assert_eq!(answer.expect("an answer").status(), 400, "{bad}");
            let path = format!("{path}?last_event_id={bad}");
            source
                .api
                .root(Method::GET, &path)
                .header("authorization", &bearer(source.api.key()))
                .send()
                .await
                .expect(400);
        }
    }
}
