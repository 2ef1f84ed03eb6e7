//! A full disk: requests are refused with 503, nothing accepted is lost, and the server recovers by itself.

use std::collections::BTreeSet;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Answer, wait_for};

use super::{processes, small_disk::SmallDisk};
use crate::{
    gate::{self, Gate},
    support::{Deployed, PATIENCE, deploy},
};

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

#[rstest]
#[tokio::test]
async fn a_full_disk_answers_503_loses_nothing_accepted_and_the_server_recovers_when_there_is_room(
    #[values("--store-first", "--direct-from=0")] order: &str,
) {
    let disk = SmallDisk::start(&[order]).await;
    let source = deploy(&disk.server.api(), SLOW).await;
    let mut accepted: BTreeSet<u64> = (0..=10).collect();
    send(&source, 0, 0).await.expect(200);
    source.events(1).await;
    for n in 1..=10 {
        send(&source, n, 500).await.expect(200);
    }
    disk.fill();
    accepted.extend(refuse(&source).await);
    wait_for(PATIENCE, "a commit to fail", async || {
        disk.server.logs().contains("commit failed").then_some(())
    })
    .await;
    // What would have to wait for that commit does not hang.
    let (name, code) = (
        json!({ "name": "renamed" }),
        json!({ "component_code": SLOW }),
    );
    source.api.put(&source.path(""), &name).await.expect(503);
    source.api.put(&source.path(""), &code).await.expect(503);
    source.api.delete(&source.path("")).await.expect(503);

    disk.make_room();
    wait_for(PATIENCE, "a request to be accepted again", async || {
        (send(&source, 1_000, 0).await.status == 200).then_some(())
    })
    .await;
    accepted.insert(1_000);
    let events = source.events(accepted.len()).await;
    let committed: BTreeSet<u64> = events
        .iter()
        .filter_map(|event| event["n"].as_u64())
        .collect();
    assert_eq!(committed, accepted, "what was accepted, and only that");
    let counts: Vec<u64> = events
        .iter()
        .filter_map(|event| event["count"].as_u64())
        .collect();
    assert_eq!(counts, (1..=accepted.len() as u64).collect::<Vec<_>>());
}

/// Sends until many requests in a row were refused as they should be; gives the numbers that were accepted, because
/// SQLite had some space already.
async fn refuse(source: &Deployed) -> BTreeSet<u64> {
    let mut accepted = BTreeSet::new();
    let mut refused = 0;
    for n in 11..80 {
        let answer = send(source, n, 0).await;
        if answer.status == 200 {
            accepted.insert(n);
            refused = 0;
            continue;
        }
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("retry-after").is_some());
        assert!(answer.expect(503)["error"].is_string());
        refused += 1;
        if refused == 20 {
            return accepted;
        }
    }
    panic!("the disk is not full: {} were accepted", accepted.len());
}

#[tokio::test]
async fn on_a_full_disk_the_api_still_reads_and_answers_writes_with_503() {
    let disk = SmallDisk::start(&[]).await;
    let source = deploy(&disk.server.api(), SLOW).await;
    let busy = deploy(&disk.server.api(), SLOW).await;
    disk.fill();
    refuse(&busy).await;
    source.api.get(&source.path("")).await.expect(200);
    source.api.get("/users/me").await.expect(200);
    let update = json!({ "name": "renamed" });
    source.api.put(&source.path(""), &update).await.expect(503);
    source
        .api
        .post(&source.path("/run"), &json!({}))
        .await
        .expect(503);
    source.api.delete(&source.path("")).await.expect(503);
    let other = json!({ "component_code": SLOW });
    source.api.post("/sources", &other).await.expect(503);

    disk.make_room();
    source.api.put(&source.path(""), &update).await.expect(200);
    source.api.post("/sources", &other).await.expect(200);
    source.api.delete(&source.path("")).await.expect(204);
}

/// There is no room for the files of a process either: its work waits until there is.
#[tokio::test]
async fn work_whose_process_cannot_start_on_a_full_disk_runs_when_there_is_room() {
    let patient = [&gate::ARGS[..], &["--max-attempts", "1000"]].concat();
    let disk = SmallDisk::start(&patient).await;
    let gate = Gate::shut().await;
    let code = format!(
        r#"module.exports = {{
  name: "gated", version: "0.0.1", props: {{ http: "$.interface.http" }},
  async run(event) {{ await fetch("{}"); this.$emit(event.body); }},
}};"#,
        gate.url()
    );
    let source = deploy(&disk.server.api(), &code).await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    gate.arrived(1).await;
    // A process that goes gives back a little, which may be just enough for the next one.
    wait_for(PATIENCE, "a start to fail", async || {
        disk.fill();
        processes::children(disk.server.pid())
            .into_iter()
            .for_each(processes::kill);
        let log = disk.server.logs();
        log.contains("process start failed").then_some(())
    })
    .await;
    gate.open();
    disk.make_room();
    assert_eq!(source.events(1).await, [json!({ "n": 1 })]);
}
