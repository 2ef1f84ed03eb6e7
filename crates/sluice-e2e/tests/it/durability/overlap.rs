//! Invocations that overlap share `$.service.db`; one that is cut off leaves nothing of itself in what the others commit.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::{processes, stage::Stage};
use crate::gate::{self, Gate};

/// Counts and emits at once; the first then waits at the gate, the others end.
fn counting(gate: &Gate) -> String {
    format!(
        r#"module.exports = {{
  name: "counting", version: "0.0.1",
  props: {{ http: {{ type: "$.interface.http", customResponse: true }}, db: "$.service.db" }},
  async run(event) {{
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({{ n: event.body.n, count }});
    this.http.respond({{ status: 200, body: "counted" }});
    if (event.body.n === 1) await fetch("{}");
  }},
}};"#,
        gate.url()
    )
}

#[derive(Debug, Clone, Copy)]
enum Death {
    OfTheServer,
    OfTheProcess,
}

#[rstest]
#[case::of_the_server(Death::OfTheServer)]
#[case::of_the_process(Death::OfTheProcess)]
#[tokio::test]
async fn a_count_that_an_unfinished_invocation_made_is_not_kept_when_it_dies(#[case] death: Death) {
    let mut stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&counting(&gate)).await;
    for n in 1..=3 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    gate.arrived(1).await;
    // Time for a wrong commit to happen.
    tokio::time::sleep(Duration::from_millis(200)).await;
    match death {
        Death::OfTheServer => stage.restart().await,
        Death::OfTheProcess => {
            processes::children(stage.pid())
                .into_iter()
                .for_each(processes::kill);
        }
    }
    gate.open();
    source.events(3).await;
    stage.settled(&source).await;
    let events = stage.ledger.events(&source.id);
    let mut counts: Vec<u64> = events.iter().map(|event| event.number("count")).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3], "{events:?}");
    assert_eq!(stage.ledger.stored(&source.id, "count"), Some(json!(3)));
}

/// It has ended in good time, so that it must not be taken for one that overruns.
#[tokio::test]
async fn an_invocation_that_waits_for_another_to_commit_is_not_overdue() {
    let stage = Stage::start(Backend::Sqlite, &["--invocation-timeout", "4s"]).await;
    let code = r#"const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
module.exports = {
  name: "patient", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    if (event.body === "writer") {
      this.db.set("written", true);
      await sleep(3_800);
    } else {
      while (!this.db.get("written")) await sleep(20);
      this.$emit("read");
    }
  },
};"#;
    let source = stage.deploy(code).await;
    source.send(&json!("reader")).await.expect(200);
    // Late enough that the writer ends after the reader's time, and early enough for the reader to see it.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    source.send(&json!("writer")).await.expect(200);
    // The reader's time and the grace that follows it are over before the writer ends.
    assert_eq!(source.events(1).await, ["read"]);
    stage.settled(&source).await;
    assert_eq!(stage.metric("sluice_invocation_retries_total").await, 0);
}

#[tokio::test]
async fn the_later_write_stands_whichever_invocation_ends_first() {
    let stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let code = format!(
        r#"module.exports = {{
  name: "writing", version: "0.0.1", props: {{ http: "$.interface.http", db: "$.service.db" }},
  async run(event) {{
    this.db.set("last", event.body.n);
    if (event.body.n === 1) await fetch("{}");
    this.$emit(event.body.n);
  }},
}};"#,
        gate.url()
    );
    let source = stage.deploy(&code).await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    gate.arrived(1).await;
    // It has read nothing of the first, so it need not wait for it.
    source.send(&json!({ "n": 2 })).await.expect(200);
    assert_eq!(source.events(1).await, [2]);
    assert_eq!(stage.ledger.stored(&source.id, "last"), Some(json!(2)));
    gate.open();
    assert_eq!(source.events(2).await, [2, 1]);
    assert_eq!(stage.ledger.stored(&source.id, "last"), Some(json!(2)));
}

#[tokio::test]
async fn invocations_that_have_read_from_each_other_commit_together() {
    let stage = Stage::start(Backend::Sqlite, &[]).await;
    let code = r#"module.exports = {
  name: "mutual", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const { mine, other } = event.body;
    this.db.set(mine, true);
    while (!this.db.get(other)) await new Promise((done) => setTimeout(done, 5));
    this.$emit(mine);
  },
};"#;
    let source = stage.deploy(code).await;
    source
        .send(&json!({ "mine": "a", "other": "b" }))
        .await
        .expect(200);
    source
        .send(&json!({ "mine": "b", "other": "a" }))
        .await
        .expect(200);
    source.events(2).await;
    for key in ["a", "b"] {
        assert_eq!(stage.ledger.stored(&source.id, key), Some(json!(true)));
    }
}
