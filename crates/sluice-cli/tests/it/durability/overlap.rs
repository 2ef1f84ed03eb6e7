//! Invocations that overlap share `$.service.db`; one that is cut off leaves nothing of itself in what the others commit.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::{gate, gate::Gate, processes, stage::Stage};

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
            processes::children(stage.pid()).into_iter().for_each(processes::kill);
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
