//! Many requests at once, more than fit in memory, and clients that behave badly.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method, raw_http, wait_for};
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinSet, time::timeout};

use super::{processes, stage::Stage};
use crate::{
    gate::{self, Gate},
    support::{Deployed, PATIENCE},
};

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit({ n: event.body.n }) },
};"#;

/// The numbers of a source's events, which must all be different.
fn numbers(stage: &Stage, source: &str) -> BTreeSet<u64> {
    let events = stage.ledger.events(source);
    let numbers: BTreeSet<u64> = events.iter().map(|event| event.number("n")).collect();
    assert_eq!(numbers.len(), events.len(), "something ran twice");
    numbers
}

/// Sends a number to each endpoint, all at the same time, and expects every one to be accepted.
async fn send_at_once(endpoints: impl Iterator<Item = (u64, String)>) {
    let api = Api::new("", "");
    let mut requests = JoinSet::new();
    for (n, endpoint) in endpoints {
        let request = api
            .absolute(Method::POST, &endpoint)
            .json(&json!({ "n": n }));
        requests.spawn(async move { request.send().await.expect(200) });
    }
    requests.join_all().await;
}

#[tokio::test]
async fn a_thousand_requests_at_once_to_one_source_are_all_committed() {
    let stage = Stage::start(Backend::Sqlite, &[]).await;
    let source = stage.deploy(ECHO).await;
    send_at_once((0..1_000).map(|n| (n, source.endpoint().to_owned()))).await;
    stage.settled(&source).await;
    assert_eq!(numbers(&stage, &source.id), (0..1_000).collect());
}

#[tokio::test]
async fn a_thousand_requests_at_once_to_fifty_sources_run_in_the_allowed_number_of_processes() {
    const SOURCES: usize = 50;
    const PROCESSES: usize = 4;
    let stage = Stage::start(
        Backend::Sqlite,
        &["--max-processes", "4", "--isolation", "process"],
    )
    .await;
    let first = stage.deploy(ECHO).await;
    let component = json!({ "component_id": first.source["component_id"] });
    let mut sources = vec![first.source.clone()];
    while sources.len() < SOURCES {
        sources.push(first.api.post("/sources", &component).await.ok());
    }
    let endpoint = |n: u64| {
        let source = &sources[usize::try_from(n).expect("small") % SOURCES];
        source["configured_props"]["http"]["endpoint_url"]
            .as_str()
            .expect("one")
            .to_owned()
    };
    send_at_once((0..1_000).map(|n| (n, endpoint(n)))).await;
    let mut most = 0;
    wait_for(PATIENCE * 3, "all inboxes to run empty", async || {
        most = most.max(processes::children(stage.pid()).len());
        stage
            .ledger
            .owners_of_rows("inbox")
            .is_empty()
            .then_some(())
    })
    .await;
    assert!((1..=PROCESSES).contains(&most), "{most} processes at once");
    let mut all = BTreeSet::new();
    for source in &sources {
        all.extend(numbers(&stage, source["id"].as_str().expect("an id")));
    }
    assert_eq!(all, (0..1_000).collect());
}

/// More than a mailbox holds in memory.
#[tokio::test]
async fn a_backlog_larger_than_the_mailbox_is_all_run() {
    const BLOCKERS: u64 = 16;
    const BACKLOG: u64 = 5_200;
    let args = [
        &gate::ARGS[..],
        &["--source-concurrency", "16", "--event-retention", "100000"],
    ]
    .concat();
    let stage = Stage::start(Backend::Sqlite, &args).await;
    let gate = Gate::shut().await;
    let code = format!(
        r#"module.exports = {{
  name: "blocked", version: "0.0.1", props: {{ http: "$.interface.http" }},
  async run(event) {{ if (event.body.n < {BLOCKERS}) await fetch("{}"); this.$emit({{ n: event.body.n }}); }},
}};"#,
        gate.url()
    );
    let source = stage.deploy(&code).await;
    let endpoint = |n| (n, source.endpoint().to_owned());
    send_at_once((0..BLOCKERS).map(endpoint)).await;
    gate.arrived(16).await;
    for from in (BLOCKERS..BACKLOG).step_by(400) {
        send_at_once((from..BACKLOG.min(from + 400)).map(endpoint)).await;
    }
    assert_eq!(stage.ledger.waiting(&source.id) as u64, BACKLOG);
    gate.open();
    stage.settled(&source).await;
    assert_eq!(numbers(&stage, &source.id), (0..BACKLOG).collect());
}

fn head(source: &Deployed, rest: &str) -> String {
    let path = source.endpoint().splitn(4, '/').nth(3).expect("a path");
    format!("POST /{path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{rest}")
}

#[tokio::test]
async fn a_client_that_hangs_up_after_sending_leaves_no_work_behind_and_none_runs_twice() {
    let stage = Stage::start(Backend::Sqlite, &[]).await;
    let source = stage.deploy(ECHO).await;
    for n in 0..60_u64 {
        let body = json!({ "n": n }).to_string();
        let request = head(
            &source,
            &format!("content-length: {}\r\n\r\n{body}", body.len()),
        );
        let mut stream = TcpStream::connect(stage.addr())
            .await
            .expect("a connection");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it is taken");
        drop(stream);
    }
    source.send(&json!({ "n": 1_000 })).await.expect(200);
    stage.settled(&source).await;
    let numbers = numbers(&stage, &source.id);
    assert!(numbers.contains(&1_000));
    assert!(numbers.iter().all(|n| *n < 60 || *n == 1_000));
}

#[tokio::test]
async fn a_body_of_100_mb_is_refused_with_413_without_being_held_in_memory() {
    let stage = Stage::start(Backend::Sqlite, &[]).await;
    let source = stage.deploy(ECHO).await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    source.events(1).await;
    let before = processes::peak_memory(stage.pid());
    let mut announced = head(&source, "content-length: 104857600\r\n\r\n").into_bytes();
    announced.resize(announced.len() + 100 * 1024 * 1024, b' ');
    let mut chunked = head(&source, "transfer-encoding: chunked\r\n\r\n6400000\r\n").into_bytes();
    chunked.resize(chunked.len() + 100 * 1024 * 1024, b' ');
    for request in [announced, chunked] {
        let answer = raw_http(stage.addr(), &request).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        let body = answer.split("\r\n\r\n").nth(1).expect("a body");
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert!(body["error"].is_string(), "{body}");
    }
    let grown = processes::peak_memory(stage.pid()) - before;
    assert!(grown < 48, "{grown} MiB more than before");
    source.send(&json!({ "n": 2 })).await.expect(200);
    assert_eq!(source.events(2).await[1]["n"], 2);
}

#[tokio::test]
async fn clients_that_send_slowly_do_not_hold_up_the_others() {
    let stage = Stage::start(Backend::Sqlite, &[]).await;
    let source = stage.deploy(ECHO).await;
    let mut slow = Vec::new();
    for start in [
        "POST",
        &head(&source, "content-le"),
        &head(&source, "content-length: 50\r\n\r\n{\"n\":"),
    ] {
        for _ in 0..150 {
            let mut stream = TcpStream::connect(stage.addr())
                .await
                .expect("a connection");
            stream
                .write_all(start.as_bytes())
                .await
                .expect("it is taken");
            slow.push(stream);
        }
    }
    for n in 0..20 {
        let body = json!({ "n": n });
        let answer = timeout(Duration::from_secs(5), source.send(&body)).await;
        answer.expect("an answer in time").expect(200);
    }
    source.events(20).await;
    drop(slow);
}
