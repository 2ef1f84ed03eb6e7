//! Events that wait for their turn keep their order, and their turn, whatever ends the server.

use std::time::Duration;

use rand::RngExt;
use rstest::rstest;
use serde_json::json;
use sluice_testkit::{
    Backend, Plan, TestRng,
    receiver::{Answer, Receiver},
};

use super::stage::Stage;
use crate::{support::unique_name, workflows::fixtures};

const ARGS: [&str; 3] = ["--allow-private-network", "--event-retention", "10000000"];
const KILLS: usize = 4;
const EVENTS_BETWEEN: usize = 15;

/// One run at a time, each of two steps that take longer than the events need to come in.
const DOCUMENT: &str = r"
name: One by one
triggers:
  - http: {}
steps:
  - name: begin
    code: |
      export default defineComponent({
        async run({ steps }) {
          await fetch(`RECEIVER/begin/${steps.trigger.event.body.n}`);
          await new Promise((done) => setTimeout(done, 20));
        },
      })
  - name: end
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { n } = steps.trigger.event.body;
          await fetch(`RECEIVER/end/${n}`);
          $.send.emit({ n });
        },
      })
settings: { concurrency: 1 }
";

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn runs_of_a_workflow_that_runs_one_at_a_time_keep_their_order_through_kills(
    #[case] backend: Backend,
) {
    let mut stage = Stage::start(backend, &ARGS).await;
    let receiver = Receiver::start(|_| Answer::status(200));
    let api = stage.user(&unique_name(), Plan::Free).await;
    let document = DOCUMENT.replace("RECEIVER", &receiver.url(""));
    let workflow = fixtures::deploy(&api, &document).await;
    let mut sent = 0;
    for _ in 0..KILLS {
        for _ in 0..EVENTS_BETWEEN {
            workflow.send(&json!({ "n": sent })).await.expect(200);
            sent += 1;
        }
        let moment = TestRng.random_range(0..400);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        stage.restart().await;
    }
    stage.worked_off(&workflow.id).await;
    let ended = stage.ledger.events(&workflow.id);
    let ended: Vec<_> = ended
        .iter()
        .map(|event| event.data["raw_event"]["n"].as_u64().expect("a number"))
        .collect();
    assert_eq!(ended, (0..sent).collect::<Vec<_>>());

    // What was under way at a kill reports once more, and nothing comes in between.
    let mut reports: Vec<_> = receiver.requests().into_iter().map(|r| r.path).collect();
    reports.dedup();
    let expected: Vec<_> = (0..sent)
        .flat_map(|n| [format!("/begin/{n}"), format!("/end/{n}")])
        .collect();
    assert_eq!(reports, expected);
}
