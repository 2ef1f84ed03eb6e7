//! A component process that dies takes nothing with it: its invocations run again, three tries in all.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, wait_for};

use super::{processes, stage::Stage};
use crate::{
    gate::{self, Gate},
    support::{Deployed, PATIENCE, deploy, new_user},
};

const POISON: u64 = 5;
const IS_POISON: &str = "n === 5";

/// Emits each number, but for those at which it does `poison`. All share a process when the first of them meets it.
fn poisoned(is_poison: &str, poison: &str) -> String {
    format!(
        r#"module.exports = {{
  name: "poisoned", version: "0.0.1", props: {{ http: "$.interface.http" }},
  async run(event) {{
    const {{ n, gate }} = event.body;
    const poison = {is_poison};
    await new Promise((done) => setTimeout(done, poison ? 40 : 80));
    if (poison) {{
      console.log("poison");
      await new Promise((done) => setTimeout(done, 1));
      {poison};
    }}
    if (gate) await fetch(gate);
    this.$emit({{ n }});
  }},
}};"#
    )
}

/// Sends all numbers at once and waits until the poison has counted as thrown and the rest is committed.
async fn send_all(source: &Deployed, count: u64) -> Value {
    let numbers: Vec<Value> = (0..count).map(|n| json!({ "n": n })).collect();
    for body in &numbers {
        source.send(body).await.expect(200);
    }
    let events = source.events(numbers.len() - 1).await;
    let mut committed: Vec<u64> = events
        .iter()
        .filter_map(|event| event["n"].as_u64())
        .collect();
    committed.sort_unstable();
    let expected: Vec<u64> = (0..count).filter(|n| *n != POISON).collect();
    assert_eq!(committed, expected, "all but the poison, once each");
    let errors = source.errors(1).await;
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors[0].clone()
}

async fn lines_with(source: &Deployed, text: &str) -> usize {
    let logs = source.logs().await;
    let has = |row: &&Value| row["msg"].as_str().is_some_and(|msg| msg.contains(text));
    logs.iter().filter(has).count()
}

#[rstest]
#[case::abort("process.abort()", "signal 6")]
#[case::exit("process.exit(0)", "exited with code 0")]
#[case::exit_with_an_error("process.exit(3)", "exited with code 3")]
#[case::deno_exit("Deno.exit(7)", "exited with code 7")]
#[case::kill("process.kill(process.pid, 'SIGKILL')", "signal 9")]
#[tokio::test]
async fn an_event_that_ends_the_process_is_tried_three_times_and_the_others_commit_once(
    #[case] poison: &str,
    #[case] reason: &str,
) {
    let source = deploy(&new_user().await, &poisoned(IS_POISON, poison)).await;
    let error = send_all(&source, 8).await;
    assert_eq!(error["original_event"]["body"]["n"], POISON);
    assert_eq!(error["error"]["code"], "ProcessDied");
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(message.contains(reason), "{message}");
    assert_eq!(lines_with(&source, "poison").await, 3);
}

#[tokio::test]
async fn several_poisons_among_good_events_harm_nobody_else() {
    let code = poisoned("n % 3 === 0", "process.exit(1)");
    let source = deploy(&new_user().await, &code).await;
    for n in 0..6 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    let events = source.events(4).await;
    assert!(
        events
            .iter()
            .all(|event| event["n"].as_u64().is_some_and(|n| n % 3 != 0)),
        "{events:?}"
    );
    assert_eq!(source.errors(2).await.len(), 2);
}

#[tokio::test]
async fn running_out_of_memory_costs_the_guilty_event_only_and_the_source_goes_on() {
    let stage = Stage::start(Backend::Sqlite, &["--heap", "32MiB"]).await;
    let glutton = "const all = []; for (;;) all.push(new Array(1_000_000).fill(0))";
    let source = stage.deploy(&poisoned(IS_POISON, glutton)).await;
    let error = send_all(&source, 8).await;
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(
        message.contains("ran out of memory (limit 32 MB)"),
        "{message}"
    );
    source.send(&json!({ "n": 100 })).await.expect(200);
    source.events(8).await;
}

#[tokio::test]
async fn a_process_killed_from_outside_loses_none_of_its_invocations() {
    let stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&at_the_gate(&gate)).await;
    for n in 0..20 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    gate.arrived(20).await;
    let processes = processes::children(stage.pid());
    assert_eq!(processes.len(), 1, "{processes:?}");
    processes::kill(processes[0]);
    gate.open();
    let mut numbers: Vec<u64> = source
        .events(20)
        .await
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..20).collect::<Vec<u64>>());
    assert_eq!(stage.ledger.waiting(&source.id), 0);
}

/// Who shared a process with a poison is still known after a restart: the tries of the innocent are not used up.
#[tokio::test]
async fn the_innocent_are_not_charged_with_the_poison_after_a_restart() {
    let mut stage = Stage::start(Backend::Sqlite, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let source = stage.deploy(&poisoned(IS_POISON, "process.exit(1)")).await;
    let innocent = (0..8).filter(|n| *n != POISON);
    for n in innocent {
        let body = json!({ "n": n, "gate": gate.url() });
        source.send(&body).await.expect(200);
    }
    gate.arrived(7).await;
    source.send(&json!({ "n": POISON })).await.expect(200);
    wait_for(PATIENCE, "the first death to be noted", async || {
        (lines_with(&source, "runs again").await >= 8).then_some(())
    })
    .await;
    // One of them runs alone now, and waits at the gate again; so nothing is decided yet.
    gate.arrived(8).await;
    stage.restart().await;
    gate.open();
    source.events(7).await;
    let errors = source.errors(1).await;
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0]["original_event"]["body"]["n"], POISON);
}

fn at_the_gate(gate: &Gate) -> String {
    format!(
        r#"module.exports = {{
  name: "gated", version: "0.0.1", props: {{ http: "$.interface.http" }},
  async run(event) {{ await fetch("{}"); this.$emit(event.body.n); }},
}};"#,
        gate.url()
    )
}
