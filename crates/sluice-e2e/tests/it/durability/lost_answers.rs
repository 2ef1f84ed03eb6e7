//! A commit over the network whose reply is lost was kept, or is still in progress: nothing is done twice, and nothing is
//! lost.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Postgres, Server, ServerOptions, wait_for};

use super::{
    forgetful_proxy::{ForgetfulProxy, Loss},
    stage::Stage,
};
use crate::{
    gate::{self, Gate},
    ledger::Ledger,
    support::{PATIENCE, own_server},
};

async fn behind_a_proxy(args: &[&str]) -> (Stage, ForgetfulProxy) {
    let database = Postgres::database();
    let proxy = ForgetfulProxy::before(&database).await;
    let args = gate::ARGS.iter().chain(args);
    let options = args.fold(own_server(), ServerOptions::arg);
    let server = Server::start(options.postgres(proxy.url())).await;
    let ledger = Ledger::Postgres(database);
    (Stage { server, ledger }, proxy)
}

const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const { gate, emits } = event.body;
    if (gate) await fetch(gate);
    this.db.set("count", (this.db.get("count") ?? 0) + 1);
    console.log("counted");
    if (emits) this.$emit("counted");
  },
};"#;

#[rstest]
#[tokio::test]
async fn an_outcome_whose_commit_got_no_reply_is_committed_once(
    #[values(true, false)] emits: bool,
    #[values(Loss::AfterCommit, Loss::BeforeCommit)] loss: Loss,
) {
    let (stage, proxy) = behind_a_proxy(&[]).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(COUNTER).await;
    let body = json!({ "gate": gate.url(), "emits": emits });
    source.send(&body).await.expect(200);
    gate.arrived(1).await;
    proxy.lose_next(loss);
    gate.open();
    proxy.has_lost_it().await;
    // Committed after the first, however often that was tried.
    source.send(&json!({ "emits": emits })).await.expect(200);
    wait_for(PATIENCE, "the second count", async || {
        (stage.ledger.stored(&source.id, "count") == Some(json!(2))).then_some(())
    })
    .await;
    stage.settled(&source).await;
    let user = source.source["user_id"].as_str().expect("an owner");
    assert_eq!(stage.ledger.invocations_of_user(user), 2);
    assert_eq!(stage.ledger.count("logs", &source.id), 2);
    let events = if emits { 2 } else { 0 };
    assert_eq!(stage.ledger.count("events", &source.id), events);
}

#[tokio::test]
async fn a_request_whose_storing_got_no_answer_is_refused_and_runs_at_most_once() {
    let (stage, proxy) = behind_a_proxy(&["--store-first"]).await;
    let source = stage.deploy(ECHO).await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    source.events(1).await;
    proxy.lose_next(Loss::AfterCommit);
    source.send(&json!({ "n": 2 })).await.expect(503);
    // It was kept after all, and the source finds out by itself.
    source.events(2).await;
    source.send(&json!({ "n": 3 })).await.expect(200);
    let events = source.events(3).await;
    assert_eq!(
        events,
        [json!({ "n": 1 }), json!({ "n": 2 }), json!({ "n": 3 })]
    );
}

/// A request that runs before it is stored waits a moment until it is known whether its outcome was kept.
#[rstest]
#[tokio::test]
async fn a_direct_request_whose_commit_got_no_reply_is_committed_once_if_it_was_accepted(
    #[values(Loss::AfterCommit, Loss::BeforeCommit)] loss: Loss,
) {
    let (stage, proxy) = behind_a_proxy(&["--direct-from", "0"]).await;
    let source = stage.deploy(ECHO).await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    source.events(1).await;
    proxy.lose_next(loss);
    let is_accepted = match source.send(&json!({ "n": 2 })).await.status {
        200 => true,
        503 => false,
        other => panic!("the status is {other}"),
    };
    source.send(&json!({ "n": 3 })).await.expect(200);
    let count = |n: u64| {
        let events = stage.ledger.events(&source.id);
        events.iter().filter(|event| event.number("n") == n).count()
    };
    wait_for(PATIENCE, "the last event", async || {
        (count(3) > 0).then_some(())
    })
    .await;
    stage.settled(&source).await;
    assert_eq!((count(1), count(3)), (1, 1));
    assert!(count(2) <= 1 && (count(2) == 1 || !is_accepted));
}

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body) },
};"#;

/// Either the commit that stores a tick or the one that ends it loses its answer.
#[tokio::test]
async fn a_timer_ticks_on_whichever_of_its_commits_got_no_answer() {
    let (stage, proxy) = behind_a_proxy(&[]).await;
    let code = r#"let running = 0;
module.exports = {
  name: "ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } }, db: "$.service.db" },
  async run() {
    running += 1;
    const tick = (this.db.get("tick") ?? 0) + 1;
    this.db.set("tick", tick);
    const overlaps = running > 1;
    await new Promise((done) => setTimeout(done, 100));
    running -= 1;
    this.$emit({ tick, overlaps });
  },
};"#;
    let source = stage.deploy(code).await;
    let mut ticks = 0;
    for moment in [0, 950, 0, 950] {
        ticks = more_than(&stage, &source.id, ticks).await;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        proxy.lose_next(Loss::AfterCommit);
        proxy.has_lost_it().await;
    }
    more_than(&stage, &source.id, ticks + 1).await;
    for (event, expected) in stage.ledger.events(&source.id).iter().zip(1..) {
        assert_eq!(event.number("tick"), expected);
        assert_eq!(event.data["overlaps"], false);
    }
}

async fn more_than(stage: &Stage, source: &str, ticks: usize) -> usize {
    wait_for(PATIENCE, "another tick", async || {
        let count = stage.ledger.events(source).len();
        (count > ticks).then_some(count)
    })
    .await
}
