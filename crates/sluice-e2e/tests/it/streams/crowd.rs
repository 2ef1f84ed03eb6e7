//! Many readers on one server.

use std::fs;

use serde_json::json;
use sluice_testkit::{Server, wait_for};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

use super::EMITTER;
use crate::support::{Deployed, PATIENCE, deploy, own_server};

const READERS: usize = 2_000;
/// What one of them may cost the server.
const MAX_EACH: usize = 40 * 1024;

fn resident_memory(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a living process");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: Option<usize> =
        resident.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
    kib.expect("a number of kB") * 1024
}

/// Opens a stream and reads until the text contains `what`.
async fn read_until(stream: &mut TcpStream, what: &str) {
    let mut text = String::new();
    let mut buffer = [0; 1024];
    while !text.contains(what) {
        let read = timeout(PATIENCE * 2, stream.read(&mut buffer)).await;
        let read = read.expect(what).expect("an unbroken stream");
        assert!(read > 0, "the stream ended before {what}: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
}

async fn follow(addr: String, path: String, key: String) -> TcpStream {
    let mut stream = TcpStream::connect(addr).await.expect("a server");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    read_until(&mut stream, "retry: 1000").await;
    stream
}

async fn crowd(server: &Server, source: &Deployed) -> Vec<TcpStream> {
    let mut opening = JoinSet::new();
    let mut readers = Vec::with_capacity(READERS);
    for _ in 0..READERS {
        let path = format!("/sources/{}/sse", source.id);
        opening.spawn(follow(
            server.addr().to_owned(),
            path,
            source.api.key().to_owned(),
        ));
        // Not all at once: a listener has only so many places for those who wait.
        if opening.len() >= 100 {
            readers.extend(opening.join_next().await.expect("one").ok());
        }
    }
    readers.extend(opening.join_all().await);
    readers
}

#[tokio::test]
async fn thousands_of_idle_readers_cost_little_and_hear_everything() {
    let server = Server::start(own_server()).await;
    let source = deploy(&server.api(), EMITTER).await;
    // What the first event needs is there before memory is measured.
    source.run(json!({ "times": 1 })).await;
    source.events(1).await;
    let before = resident_memory(server.pid());
    let readers = crowd(&server, &source).await;
    assert_eq!(readers.len(), READERS);
    let each = resident_memory(server.pid()).saturating_sub(before) / READERS;
    assert!(each < MAX_EACH, "{each} bytes for each reader");

    source.run(json!({ "emits": [["for everybody"]] })).await;
    let mut hearing = JoinSet::new();
    for mut reader in readers {
        hearing.spawn(async move {
            read_until(&mut reader, "for everybody").await;
        });
    }
    hearing.join_all().await;
    wait_for(PATIENCE, "the places to be free", async || {
        let metrics = server
            .api()
            .root(sluice_testkit::Method::GET, "/metrics")
            .send()
            .await;
        metrics
            .text
            .contains("sluice_stream_readers 0\n")
            .then_some(())
    })
    .await;
}
