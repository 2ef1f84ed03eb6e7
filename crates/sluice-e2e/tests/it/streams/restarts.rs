//! Standard clients follow a stream across restarts of the server, and neither lose nor repeat an event.

use std::{path::Path, process::Stdio, sync::Arc, time::Duration};

use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Method, Postgres, Server, wait_for};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::{
    EMITTER,
    reader::{Message, Reader, ask},
};
use crate::support::{Deployed, PATIENCE, deploy, own_server};

const BEFORE: usize = 40;

/// What a client has seen, as it grows.
type Seen = Arc<Mutex<Vec<Message>>>;

/// Posts numbers to the endpoint, and gives those that were accepted.
struct Traffic {
    next: u64,
    accepted: Vec<u64>,
}

impl Traffic {
    async fn send(&mut self, source: &Deployed) {
        let number = self.next;
        self.next += 1;
        let request = source.api.absolute(Method::POST, source.endpoint());
        let sent = request.json(&json!({ "n": number })).try_send().await;
        match sent {
            Ok(answer) if answer.status == 200 => self.accepted.push(number),
            Ok(_) | Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }

    async fn until_accepted(&mut self, source: &Deployed, count: usize) {
        while self.accepted.len() < count {
            self.send(source).await;
        }
    }
}

/// Follows with the Rust client, coming back whenever the stream breaks.
async fn follow_in_rust(address: String, key: String, seen: Seen) {
    loop {
        let last = seen.lock().last().map(|message| message.id.clone());
        let last = last.unwrap_or_else(|| "0-0".to_owned());
        if let Ok(response) = ask(&address, &key, Some(&last)).await
            && response.status() == 200
        {
            let mut reader = Reader::of(response);
            while let Some(message) = reader.try_next().await {
                seen.lock().push(message);
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn start_node(address: &str, key: &str) -> (Child, BufReader<ChildStdout>) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/streams/follow.mjs");
    let mut child = Command::new("node")
        .arg(script)
        .args([address, key])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node can be started");
    let output = child.stdout.take().expect("a pipe");
    (child, BufReader::new(output))
}

/// What the npm client prints, until it ends.
async fn collect(output: BufReader<ChildStdout>, seen: Seen) {
    let mut lines = output.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line: Value = serde_json::from_str(&line).expect("JSON");
        assert!(line.get("closed").is_none(), "the client gave up: {line}");
        if let Some(id) = line["id"].as_str() {
            seen.lock().push(Message {
                id: id.to_owned(),
                data: line["data"].clone(),
            });
        }
    }
}

#[rstest]
#[tokio::test]
async fn clients_follow_a_stream_across_restarts(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let options = match backend {
        Backend::Sqlite => own_server(),
        Backend::Postgres => own_server().postgres(&Postgres::database()),
    };
    let mut server = Server::start(options).await;
    let source = deploy(&server.api(), EMITTER).await;
    let address = format!("{}/sources/{}/sse", server.url(), source.id);
    let key = source.api.key().to_owned();

    let (rust, node) = (Seen::default(), Seen::default());
    let in_rust = tokio::spawn(follow_in_rust(
        address.clone(),
        key.clone(),
        Arc::clone(&rust),
    ));
    // It has no position before its first event, so it must be connected before that is emitted.
    let (child, mut output) = start_node(&address, &key);
    let mut first = String::new();
    let opened = timeout(PATIENCE, output.read_line(&mut first)).await;
    opened.expect("the client connects").expect("its output");
    assert_eq!(first.trim(), r#"{"open":true}"#);
    let in_node = tokio::spawn(collect(output, Arc::clone(&node)));

    let mut traffic = Traffic {
        next: 0,
        accepted: Vec::new(),
    };
    for round in 1..=4 {
        traffic.until_accepted(&source, round * BEFORE).await;
        // Somebody must have seen something, so that there is a position to go on from.
        wait_for(PATIENCE, "the first events", async || {
            (!node.lock().is_empty() && !rust.lock().is_empty()).then_some(())
        })
        .await;
        if round % 2 == 0 {
            let (status, ()) = tokio::join!(server.terminate(), async {
                for _ in 0..5 {
                    traffic.send(&source).await;
                }
            });
            assert_eq!(status.code(), Some(0));
        } else {
            server.kill9();
        }
        // What is sent now finds nobody.
        traffic.send(&source).await;
        server.restart().await;
    }
    traffic.until_accepted(&source, 5 * BEFORE).await;

    let complete = wait_for(PATIENCE * 2, "all that was accepted", async || {
        let seen = rust.lock().clone();
        let numbers: Vec<u64> = seen
            .iter()
            .filter_map(|m| m.event()["n"].as_u64())
            .collect();
        let all = traffic
            .accepted
            .iter()
            .all(|number| numbers.contains(number));
        (all && node.lock().len() == seen.len()).then_some(seen)
    })
    .await;
    assert_eq!(*node.lock(), complete);
    let mut whole = Reader::open(
        server.url(),
        &source.api,
        &format!("/sources/{}/sse", source.id),
        Some("0-0"),
    )
    .await;
    assert_eq!(whole.take(complete.len()).await, complete, "what is stored");
    let mut ids: Vec<_> = complete.iter().map(|message| &message.id).collect();
    ids.dedup();
    assert_eq!(ids.len(), complete.len());
    in_rust.abort();
    drop(child);
    let _ = in_node.await;
}
