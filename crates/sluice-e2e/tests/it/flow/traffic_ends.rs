//! How streams of traffic begin and end.

use serde_json::json;
use sluice_testkit::{Api, Method, Plan, Server, ServerInfo, wait_for};

use super::sums::{Sums, new_user, of, server};
use crate::{
    streams::reader::{Text, ask},
    support::{PATIENCE, deploy, own_server, unique_name},
};

const EMITTER: &str =
    r#"module.exports = { name: "Emitter", version: "0.0.1", run() { this.$emit(1); } };"#;

async fn follow(server: &ServerInfo, api: &Api) -> reqwest::Response {
    let url = format!("{}/v1/users/me/traffic", server.url());
    ask(&url, api.key(), None).await.expect("a server")
}

async fn readers(server: &ServerInfo) -> String {
    let metrics = server.api().root(Method::GET, "/metrics").send().await.text;
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("sluice_stream_readers "));
    line.expect("the metric").to_owned()
}

#[tokio::test]
async fn a_stream_begins_with_the_handshake_and_only_for_those_with_a_key() {
    let api = new_user().await;
    let response = follow(server(), &api).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = Text::of(response);
    let opening = ":sse-handshake\n\nretry: 1000\n\n";
    text.until("the handshake", |text| text.len() >= opening.len())
        .await;
    assert_eq!(text.text, opening);
    let path = "/v1/users/me/traffic";
    api.root(Method::GET, path).send().await.expect(401);
    let head = api.request(Method::HEAD, "/users/me/traffic").send().await;
    assert_eq!(head.status, 405);
}

#[tokio::test]
async fn a_reader_that_leaves_gives_its_place_back() {
    let server = Server::start(own_server().args(["--max-streams", "1"])).await;
    let api = server.api();
    let first = follow(&server, &api).await;
    assert_eq!(first.status(), 200);
    assert_eq!(follow(&server, &api).await.status(), 503);
    assert_eq!(readers(&server).await, "1");
    drop(first);
    wait_for(PATIENCE, "the place to be free", async || {
        (readers(&server).await == "0").then_some(())
    })
    .await;
    assert_eq!(follow(&server, &api).await.status(), 200);
}

#[tokio::test]
async fn one_who_comes_later_hears_what_happens_from_then_on() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    source.run(json!({})).await;
    source.events(1).await;
    let mut first = Sums::open(&api).await;
    source.run(json!({})).await;
    let one = [
        of(&source.id, "events", 1),
        of(&source.id, "invocations", 1),
    ];
    first.until(&one).await;
    drop(first);
    source.run(json!({})).await;
    source.events(3).await;
    let mut second = Sums::open(&api).await;
    source.run(json!({})).await;
    second.until(&one).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_the_streams() {
    let mut server = Server::start(own_server()).await;
    let mut reader = Text::of(follow(&server, &server.api()).await);
    assert_eq!(server.terminate().await.code(), Some(0));
    reader.read_to_end().await;
    assert!(
        reader
            .text
            .ends_with(": the server is shutting down: reconnect to continue\n\n"),
        "{}",
        reader.text
    );
}

#[tokio::test]
async fn the_streams_of_a_deleted_user_end() {
    let server = server();
    let api = server.user(&unique_name(), Plan::Free).await;
    let mut reader = Text::of(follow(server, &api).await);
    let id = api.get("/users/me").await.ok()["id"].clone();
    let path = format!("/users/{}", id.as_str().expect("an id"));
    server.api().delete(&path).await.expect(204);
    reader.read_to_end().await;
    assert!(
        reader.text.ends_with(": the user is deleted\n\n"),
        "{}",
        reader.text
    );
}
