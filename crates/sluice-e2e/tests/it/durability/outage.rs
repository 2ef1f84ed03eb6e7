//! PostgreSQL goes away and comes back: 503 meanwhile, then the server recovers.

use std::collections::BTreeSet;

use serde_json::json;
use sluice_testkit::{OwnPostgres, Server, wait_for};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::stage::Stage;
use crate::{
    ledger::Ledger,
    support::{PATIENCE, own_server},
};

const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    await new Promise((done) => setTimeout(done, event.body.ms));
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count });
  },
};"#;

const TICKING: &str = r#"module.exports = {
  name: "ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
};"#;

#[tokio::test]
async fn postgres_gone_answers_503_loses_nothing_accepted_and_the_server_recovers_when_it_is_back()
{
    let database = OwnPostgres::start();
    let server = Server::start(own_server().postgres(database.url())).await;
    let ledger = Ledger::Postgres(database.url().to_owned());
    let stage = Stage { server, ledger };
    let source = stage.deploy(COUNTER).await;
    let ticking = stage.deploy(TICKING).await;
    let send = async |n: u64, ms: u64| source.send(&json!({ "n": n, "ms": ms })).await;

    let mut accepted = BTreeSet::from([0]);
    send(0, 0).await.expect(200);
    source.events(1).await;
    for n in 1..=10 {
        // They end while the database is gone.
        send(n, 600).await.expect(200);
        accepted.insert(n);
    }
    database.stop().await;
    for n in 11..20 {
        let answer = send(n, 0).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("retry-after").is_some());
        assert!(answer.expect(503)["error"].is_string());
    }
    for path in [&*source.path(""), "/users/me", "/users/me/sources", "/apps"] {
        let answer = source.api.get(path).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("retry-after"), Some("1"), "{path}");
        assert!(answer.expect(503)["error"].is_string());
    }
    wait_for(PATIENCE, "a commit to fail", async || {
        stage.logs().contains("commit failed").then_some(())
    })
    .await;
    database.start_again().await;
    wait_for(PATIENCE, "a request to be accepted again", async || {
        (send(1_000, 0).await.status == 200).then_some(())
    })
    .await;
    accepted.insert(1_000);
    stage.settled(&source).await;

    let events = stage.ledger.events(&source.id);
    let numbers: Vec<u64> = events.iter().map(|event| event.number("n")).collect();
    let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(
        numbers.len(),
        distinct.len(),
        "an event was committed twice"
    );
    assert_eq!(distinct, accepted);
    let counts: Vec<u64> = events.iter().map(|event| event.number("count")).collect();
    assert_eq!(counts, (1..=events.len() as u64).collect::<Vec<_>>());
    let ticks = stage.ledger.events(&ticking.id).len();
    wait_for(PATIENCE, "the timer to tick on", async || {
        (stage.ledger.events(&ticking.id).len() > ticks + 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_starts_without_postgres_answers_503_until_it_is_back() {
    let database = OwnPostgres::start();
    let mut server = Server::start(own_server().postgres(database.url())).await;
    let address = server.addr().to_owned();
    database.stop().await;
    let standby = async {
        let response = wait_for(PATIENCE, "a response without a database", async || {
            respond(&address, "/v1/users/me", "*/*")
                .await
                .filter(|text| text.starts_with("HTTP/1.1 503 "))
        })
        .await;
        assert!(response.contains("retry-after: 5\r\n"), "{response}");
        let reason = r#"{"error":"the server is starting and waits for the database"#;
        assert!(response.contains(reason), "{response}");
        // After an error an `EventSource` would never reconnect.
        let stream = respond(&address, "/v1/sources/dc_abcdef/sse", "text/event-stream").await;
        let stream = stream.expect("a response");
        assert!(stream.starts_with("HTTP/1.1 200 "), "{stream}");
        assert!(stream.ends_with("\r\n\r\nretry: 5000\n\n"), "{stream}");
        database.start_again().await;
    };
    tokio::join!(server.restart(), standby);
    server.api().get("/users/me").await.expect(200);
}

/// The response to a GET; `None` while nothing listens.
async fn respond(address: &str, path: &str, accept: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: {accept}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await.ok()?;
    Some(response)
}
