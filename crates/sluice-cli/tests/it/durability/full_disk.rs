//! A full disk: requests are refused with 503, nothing accepted is lost, and the server recovers by itself.

use std::collections::BTreeSet;

use serde_json::json;
use sluice_testkit::{Answer, wait_for};

use super::small_disk::SmallDisk;
use crate::support::{Deployed, PATIENCE};

/// Keeps what it is told for a while, so that its commits meet the full disk.
const SLOW: &str = r#"module.exports = {
  name: "slow", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    await new Promise((done) => setTimeout(done, event.body.ms));
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count });
  },
};"#;

async fn send(source: &Deployed, n: u64, ms: u64) -> Answer {
    source.send(&json!({ "n": n, "ms": ms })).await
}

#[tokio::test]
async fn a_full_disk_answers_503_loses_nothing_accepted_and_the_server_recovers_when_there_is_room() {
    let disk = SmallDisk::start().await;
    let source = disk.stage.deploy(SLOW).await;
    let mut accepted = BTreeSet::new();
    let mut refused = BTreeSet::new();
    send(&source, 0, 0).await.expect(200);
    source.events(1).await;
    for n in 1..=10 {
        send(&source, n, 500).await.expect(200);
    }
    accepted.extend(0..=10);
    disk.fill();
    // Space that SQLite had already may take a few more.
    for n in 11..200 {
        let answer = send(&source, n, 0).await;
        if answer.status == 200 {
            accepted.insert(n);
            continue;
        }
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("retry-after").is_some());
        assert!(answer.expect(503)["error"].is_string());
        refused.insert(n);
        if refused.len() == 20 {
            break;
        }
    }
    assert_eq!(refused.len(), 20, "the disk was not full");
    wait_for(PATIENCE, "a commit to fail", async || {
        disk.stage.logs().contains("a commit failed").then_some(())
    })
    .await;
    // What only reads still works, and what writes says why it does not.
    source.api.get(&source.path("")).await.expect(200);
    let update = json!({ "name": "renamed" });
    source.api.put(&source.path(""), &update).await.expect(503);

    disk.make_room();
    wait_for(PATIENCE, "a request to be accepted again", async || {
        (send(&source, 1_000, 0).await.status == 200).then_some(())
    })
    .await;
    accepted.insert(1_000);
    disk.stage.settled(&source).await;

    let events = disk.stage.ledger.events(&source.id);
    let numbers: Vec<u64> = events.iter().map(|event| event.number("n")).collect();
    let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(numbers.len(), distinct.len(), "an event was committed twice");
    assert_eq!(distinct, accepted, "what was accepted, and only that");
    let counts: Vec<u64> = events.iter().map(|event| event.number("count")).collect();
    assert_eq!(counts, (1..=events.len() as u64).collect::<Vec<_>>());
    let renamed = source.api.put(&source.path(""), &update).await.ok();
    assert_eq!(renamed["name"], "renamed");
}

/// There is no room for the files of a process either: its work waits until there is.
#[tokio::test]
async fn work_accepted_before_the_disk_was_full_runs_when_its_process_can_start_again() {
    let disk = SmallDisk::start().await;
    let source = disk.stage.deploy(SLOW).await;
    send(&source, 1, 60_000).await.expect(200);
    let process = wait_for(PATIENCE, "a process", async || {
        super::processes::children(disk.stage.pid()).pop()
    })
    .await;
    disk.fill();
    super::processes::kill(process);
    wait_for(PATIENCE, "a start to fail", async || {
        disk.stage.logs().contains("could not be started").then_some(())
    })
    .await;
    disk.make_room();
    wait_for(PATIENCE, "a new process", async || {
        super::processes::children(disk.stage.pid()).pop()
    })
    .await;
    assert_eq!(disk.stage.ledger.waiting(&source.id), 1);
}
