//! The end of a server: SIGTERM lets what runs finish, and no component process outlives it, however it ends.

use std::process::ExitStatus;

use serde_json::{Value, json};
use sluice_testkit::{Backend, Method, wait_for};

use super::{processes, stage::Stage};
use crate::{
    gate::{self, Gate},
    support::PATIENCE,
};

fn gated(http: &str, gate: &Gate, then: &str) -> String {
    format!(
        r#"module.exports = {{
  name: "gated", version: "0.0.1", props: {{ http: {http}, db: "$.service.db" }},
  async run(event) {{
    await fetch("{}");
    this.db.set("last", event.body.n);
    {then}
  }},
}};"#,
        gate.url()
    )
}

const PLAIN_HTTP: &str = r#""$.interface.http""#;
const CUSTOM_HTTP: &str = r#"{ type: "$.interface.http", customResponse: true }"#;
const EMIT: &str = "this.$emit(event.body.n);";

/// Sends SIGTERM, and opens the gate when the server has begun to stop: it takes no new connections then.
async fn stop(stage: &mut Stage, gate: &Gate) -> ExitStatus {
    let api = stage.api();
    let open = async {
        wait_for(PATIENCE, "the server to begin to stop", async || {
            let health = api.root(Method::GET, "/healthz").try_send().await;
            health.is_err().then_some(())
        })
        .await;
        gate.open();
    };
    tokio::join!(stage.terminate(), open).0
}

#[tokio::test]
async fn sigterm_lets_running_invocations_finish_and_commits_them_and_exits_0() {
    let mut stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&gated(PLAIN_HTTP, &gate, EMIT)).await;
    for n in 0..5 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    gate.arrived(5).await;
    let status = stop(&mut stage, &gate).await;
    assert_eq!(status.code(), Some(0), "{}", stage.logs());
    let mut numbers: Vec<Value> = stage
        .ledger
        .events(&source.id)
        .into_iter()
        .map(|event| event.data)
        .collect();
    numbers.sort_by_key(Value::as_u64);
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    assert_eq!(stage.ledger.waiting(&source.id), 0);
    assert!(stage.ledger.stored(&source.id, "last").is_some());
}

#[tokio::test]
async fn sigterm_lets_clients_that_wait_for_respond_have_their_answer() {
    let mut stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let respond = "this.http.respond({ status: 201, body: { n: event.body.n } });";
    let source = stage.deploy(&gated(CUSTOM_HTTP, &gate, respond)).await;
    let clients = async {
        let (one, two) = (json!({ "n": 1 }), json!({ "n": 2 }));
        let (one, two) = tokio::join!(source.send(&one), source.send(&two));
        assert_eq!(one.expect(201), json!({ "n": 1 }));
        assert_eq!(two.expect(201), json!({ "n": 2 }));
    };
    let stop = async {
        gate.arrived(2).await;
        stop(&mut stage, &gate).await
    };
    let ((), status) = tokio::join!(clients, stop);
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn work_that_waits_at_sigterm_is_kept_and_runs_after_the_next_start() {
    let one_at_a_time = [&gate::ARGS[..], &["--source-concurrency", "1"]].concat();
    let mut stage = Stage::start(Backend::Sqlite, &one_at_a_time).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&gated(PLAIN_HTTP, &gate, EMIT)).await;
    for n in 0..4 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    gate.arrived(1).await;
    let status = stop(&mut stage, &gate).await;
    assert_eq!(status.code(), Some(0));
    assert_eq!(stage.ledger.events(&source.id).len(), 1, "only what ran");
    assert_eq!(stage.ledger.waiting(&source.id), 3);
    stage.restart().await;
    assert_eq!(source.events(4).await, [0, 1, 2, 3]);
}

/// What does not end in time runs again at the next start.
#[tokio::test]
async fn an_invocation_that_outlasts_the_drain_timeout_is_given_up_and_runs_again() {
    let hasty = [&gate::ARGS[..], &["--drain-timeout", "300ms"]].concat();
    let mut stage = Stage::start(Backend::Sqlite, &hasty).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&gated(PLAIN_HTTP, &gate, EMIT)).await;
    source.send(&json!({ "n": 7 })).await.expect(200);
    gate.arrived(1).await;
    assert_eq!(stage.terminate().await.code(), Some(0));
    assert_eq!(stage.ledger.waiting(&source.id), 1);
    gate.open();
    stage.restart().await;
    assert_eq!(source.events(1).await, [7]);
}

/// Tells that it runs, and then never gives its thread back.
fn spinning(gate: &Gate) -> String {
    let spin = format!(
        "fetch(\"{}\"); await new Promise((done) => setTimeout(done, 50)); for (;;) {{}}",
        gate.url()
    );
    format!(
        r#"module.exports = {{
  name: "spinning", version: "0.0.1", props: {{ http: "$.interface.http" }},
  async run() {{ {spin} }},
}};"#
    )
}

async fn two_processes(stage: &Stage, gate: &Gate) -> Vec<u32> {
    let waiting = stage.deploy(&gated(PLAIN_HTTP, gate, EMIT)).await;
    let spinning = stage.deploy(&spinning(gate)).await;
    for source in [&waiting, &spinning] {
        source.send(&json!({})).await.expect(200);
    }
    gate.arrived(2).await;
    let processes = processes::children(stage.pid());
    assert_eq!(processes.len(), 2, "{processes:?}");
    processes
}

async fn all_gone(processes: &[u32]) {
    wait_for(PATIENCE, "the component processes to be gone", async || {
        (!processes.iter().copied().any(processes::is_alive)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn no_component_process_survives_a_killed_server_not_even_a_spinning_one() {
    let mut stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let processes = two_processes(&stage, &gate).await;
    stage.kill9();
    all_gone(&processes).await;
}

#[tokio::test]
async fn no_component_process_survives_a_server_that_stopped() {
    let hasty = [&gate::ARGS[..], &["--drain-timeout", "300ms"]].concat();
    let mut stage = Stage::start(Backend::Sqlite, &hasty).await;
    let gate = Gate::shut().await;
    let processes = two_processes(&stage, &gate).await;
    assert_eq!(stage.terminate().await.code(), Some(0));
    all_gone(&processes).await;
}
