//! Readers that do not read: they are dropped with a notice, can go on later, and cost next to nothing meanwhile.

use std::time::{Duration, Instant};

use serde_json::json;
use sluice_testkit::{Server, wait_for};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::{EMITTER, reader::Reader};
use crate::support::{Deployed, PATIENCE, deploy, own_server};

/// Larger than what the sockets of a connection hold.
const FILLING: usize = 1_500;
const PADDING: usize = 12_000;

/// What is emitted at once: less than what a feed holds.
const PORTION: usize = 100;

/// Emits some events, and waits until there are `total`.
async fn emit_portion(source: &Deployed, padding: usize, total: usize) {
    source
        .run(json!({ "times": PORTION, "padding": padding }))
        .await;
    wait_for(PATIENCE, "the events", async || {
        (source.total().await == total as u64).then_some(())
    })
    .await;
}

/// A reader with a small socket that takes the first bytes and nothing more.
pub(super) struct Stuck {
    stream: TcpStream,
}

impl Stuck {
    pub(super) async fn open(addr: &str, source: &Deployed) -> Stuck {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket
            .set_recv_buffer_size(256 * 1024)
            .expect("a small buffer");
        let connected = socket.connect(addr.parse().expect("an address")).await;
        let mut stream = connected.expect("a server");
        let (id, key) = (&source.id, source.api.key());
        let request = format!(
            "GET /sources/{id}/sse HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut first = [0; 200];
        stream.read_exact(&mut first).await.expect("the handshake");
        Stuck { stream }
    }

    /// Emits more than the connection can hold, so that the server cannot send any more to it.
    pub(super) async fn fill(&self, source: &Deployed) {
        for number in 1..=FILLING / PORTION {
            emit_portion(source, PADDING, number * PORTION).await;
        }
    }

    /// Reads everything that is there.
    async fn read_to_end(mut self) -> String {
        let mut text = Vec::new();
        let read = timeout(PATIENCE, self.stream.read_to_end(&mut text)).await;
        read.expect("the end of the stream")
            .expect("an unbroken stream");
        String::from_utf8(text).expect("UTF-8")
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_is_dropped_with_a_notice_and_can_go_on() {
    let server = Server::start(own_server()).await;
    let source = deploy(&server.api(), EMITTER).await;
    let stuck = Stuck::open(server.addr(), &source).await;
    stuck.fill(&source).await;
    let filled = Instant::now();
    let mut emitted = FILLING;
    // The connection has to be full for a while before the reader counts as slow.
    while filled.elapsed() < Duration::from_secs(2) {
        emitted += PORTION;
        emit_portion(&source, 0, emitted).await;
    }
    let text = stuck.read_to_end().await;
    assert!(
        text.ends_with(
            ": the client reads too slowly: reconnect with Last-Event-ID to continue\n\n"
        ),
        "{}",
        &text[text.floor_char_boundary(text.len() - 200)..]
    );
    let ids: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("id: "))
        .collect();
    assert!(!ids.is_empty() && ids.len() < emitted, "{}", ids.len());

    let path = format!("/sources/{}/sse", source.id);
    let mut whole = Reader::open(server.url(), &source.api, &path, Some("0-0")).await;
    let all = whole.take(emitted).await;
    let got: Vec<&str> = all[..ids.len()]
        .iter()
        .map(|message| message.id.as_str())
        .collect();
    assert_eq!(ids, got);
    let mut resumed = Reader::open(server.url(), &source.api, &path, ids.last().copied()).await;
    assert_eq!(resumed.take(emitted - ids.len()).await, all[ids.len()..]);
}

/// A burst that is larger than what a feed holds is not the reader's fault.
#[tokio::test]
async fn a_reader_that_reads_is_not_dropped_by_a_burst() {
    let server = Server::start(own_server()).await;
    let source = deploy(&server.api(), EMITTER).await;
    let path = format!("/sources/{}/sse", source.id);
    let mut reader = Reader::open(server.url(), &source.api, &path, None).await;
    for _ in 0..20 {
        source.run(json!({ "times": 120 })).await;
    }
    source.run(json!({ "times": 3_000 })).await;
    let messages = reader.take(20 * 120 + 3_000).await;
    let mut ids: Vec<_> = messages.iter().map(|message| message.id.clone()).collect();
    ids.dedup();
    assert_eq!(ids.len(), messages.len());
}
