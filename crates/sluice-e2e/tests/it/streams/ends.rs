//! How streams end, and how many there may be.

use std::time::{Duration, Instant};

use serde_json::json;
use sluice_testkit::{Backend, Method, Server, wait_for};

use super::{
    EMITTER,
    reader::{Text, ask},
    slow::Stuck,
};
use crate::support::{PATIENCE, deploy, new_user, own_server, shared_server};

#[tokio::test]
async fn the_streams_of_a_deleted_source_end() {
    let url = shared_server(Backend::Sqlite).url();
    let source = deploy(&new_user().await, EMITTER).await;
    let addresses = [
        format!("{url}/sources/{}/sse", source.id),
        format!("{url}/sse/dc/{}/observations", source.id),
    ];
    let mut readers = Vec::new();
    for address in &addresses {
        let response = ask(address, source.api.key(), None).await;
        readers.push(Text::of(response.expect("a server")));
    }
    source.api.delete(&source.path("")).await.expect(204);
    for reader in &mut readers {
        reader.read_to_end().await;
        assert!(
            reader.text.ends_with(": the source is deleted\n\n"),
            "{}",
            reader.text
        );
    }
    for address in &addresses {
        let again = ask(address, source.api.key(), None).await;
        assert_eq!(again.expect("a server").status(), 404);
    }
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_readers() {
    let mut server = Server::start(own_server()).await;
    let source = deploy(&server.api(), EMITTER).await;
    let address = format!("{}/sources/{}/sse?event_name=none", server.url(), source.id);
    let mut readers = Vec::new();
    for _ in 0..20 {
        let response = ask(&address, source.api.key(), None).await;
        readers.push(Text::of(response.expect("a server")));
    }
    let stuck = Stuck::open(server.addr(), &source).await;
    stuck.fill(&source).await;
    let begun = Instant::now();
    assert_eq!(server.terminate().await.code(), Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    for reader in &mut readers {
        reader.read_to_end().await;
        let farewell =
            ": the server is shutting down: reconnect with Last-Event-ID to continue\n\n";
        assert!(reader.text.ends_with(farewell));
    }
}

#[tokio::test]
async fn beyond_the_limit_readers_are_asked_to_come_later() {
    let server = Server::start(own_server().arg("--max-streams").arg("2")).await;
    let source = deploy(&server.api(), EMITTER).await;
    let address = format!("{}/sources/{}/sse", server.url(), source.id);
    let readers = async || {
        let metrics = server.api().root(Method::GET, "/metrics").send().await.text;
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("sluice_stream_readers "));
        line.expect("the metric").to_owned()
    };
    let one = ask(&address, source.api.key(), None)
        .await
        .expect("a server");
    let two = ask(&address, source.api.key(), None)
        .await
        .expect("a server");
    assert_eq!((one.status().as_u16(), two.status().as_u16()), (200, 200));
    assert_eq!(readers().await, "2");
    let three = source
        .api
        .request(Method::GET, &source.path("/sse"))
        .send()
        .await;
    assert!(three.header("retry-after").is_some());
    let error = three.expect(503)["error"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(error.contains("2 streams"), "{error}");
    drop(one);
    wait_for(PATIENCE, "a free place", async || {
        (readers().await == "1").then_some(())
    })
    .await;
    let three = ask(&address, source.api.key(), None)
        .await
        .expect("a server");
    assert_eq!(three.status(), 200);
    // One that is refused takes no place.
    drop(three);
    for _ in 0..5 {
        let unknown = address.replace(&source.id, "dc_unknown");
        let refused = ask(&unknown, source.api.key(), None)
            .await
            .expect("a server");
        assert!([404, 503].contains(&refused.status().as_u16()));
    }
    wait_for(PATIENCE, "a free place", async || {
        (readers().await == "1").then_some(())
    })
    .await;
    drop(two);
    source.run(json!({ "times": 1 })).await;
}
