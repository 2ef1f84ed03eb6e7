//! Runs that wait when the server is killed: each goes on as if nothing had happened.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{
    Backend, Method, Plan, now_ms,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::stage::Stage;
use crate::{
    support::{PATIENCE, unique_name},
    workflows::fixtures::{self, Workflow, returned},
};

/// A step that reports and waits as the test says, and one that reports and returns what the first left.
const DOCUMENT: &str = r#"
name: Waits
steps:
  - name: ask
    code: |
      export default defineComponent({
        async run({ $ }) {
          const answer = await fetch("RECEIVER/ask", { method: "POST" });
          if (!answer.ok) throw new Error(`it answered ${answer.status}`);
          WAIT
        },
      })
    retry: { max_retries: 1, delay_seconds: 2 }
  - name: act
    code: |
      export default defineComponent({
        async run({ steps }) {
          await fetch("RECEIVER/act", { method: "POST" });
          return steps.ask;
        },
      })
"#;

/// A server with a run that waits.
struct Waiting {
    stage: Stage,
    workflow: Workflow,
    receiver: Receiver,
    /// As it waits.
    run: Value,
}

impl Waiting {
    /// Begins a run, whose first step ends with `wait`, and waits until that is on record.
    async fn start(backend: Backend, receiver: Receiver, wait: &str) -> Waiting {
        let stage = Stage::start(backend, &["--allow-private-network"]).await;
        let api = stage.user(&unique_name(), Plan::Free).await;
        let document = DOCUMENT
            .replace("RECEIVER", &receiver.url(""))
            .replace("WAIT", wait);
        let workflow = fixtures::deploy(&api, &document).await;
        let id = workflow.run(&json!({})).await;
        let run = workflow.run_in(&id, "waiting").await;
        Waiting {
            stage,
            workflow,
            receiver,
            run,
        }
    }

    fn due_at(&self) -> i64 {
        self.run["due_at_ms"].as_i64().expect("it waits for a time")
    }

    /// The addresses are those that were given out before the kill.
    async fn call(&self, address: &str) -> sluice_testkit::Answer {
        let address = self.run["waits_for"][address].as_str().expect("an address");
        let request = self.workflow.api.absolute(Method::POST, address);
        request.json(&json!({ "approved": true })).send().await
    }

    async fn ended(&self) -> Value {
        let id = self.run["id"].as_str().expect("an id");
        self.workflow.ended(id).await
    }

    /// What the steps reported.
    fn reports(&self) -> Vec<String> {
        let requests = self.receiver.requests().into_iter();
        requests.map(|request| request.path).collect()
    }
}

fn receiver() -> Receiver {
    Receiver::start(|_| Answer::status(200))
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_suspended_run_is_resumed_by_its_address_after_a_kill(#[case] backend: Backend) {
    let mut waiting = Waiting::start(backend, receiver(), "return $.flow.suspend();").await;
    assert_eq!(waiting.run["waits_for"]["kind"], "suspend");
    waiting.stage.restart().await;
    let run = waiting.run["id"].as_str().expect("an id");
    let still = waiting.workflow.run_of(run).await;
    assert_eq!(still["state"], "waiting", "{still}");
    waiting.call("resume_url").await.expect(200);
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let resumed_with = &returned(&run, "act")["$resume_data"];
    assert_eq!(*resumed_with, json!({ "approved": true }));
    assert_eq!(waiting.reports(), ["/ask", "/act"]);
    waiting.call("resume_url").await.expect(404);
}

#[tokio::test]
async fn a_run_that_was_resumed_goes_on_when_the_server_is_killed_at_once() {
    let mut waiting = Waiting::start(Backend::Sqlite, receiver(), "return $.flow.suspend();").await;
    waiting.call("resume_url").await.expect(200);
    waiting.stage.restart().await;
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let resumed_with = &returned(&run, "act")["$resume_data"];
    assert_eq!(*resumed_with, json!({ "approved": true }));
    assert_eq!(waiting.reports()[0], "/ask");
    // It may have been under way.
    assert!(waiting.reports()[1..].iter().all(|path| path == "/act"));
}

#[tokio::test]
async fn a_suspended_run_is_cancelled_by_its_address_after_a_kill() {
    let mut waiting = Waiting::start(Backend::Sqlite, receiver(), "return $.flow.suspend();").await;
    waiting.stage.restart().await;
    waiting.call("cancel_url").await.expect(200);
    let run = waiting.ended().await;
    assert_eq!(run["state"], "cancelled", "{run}");
    waiting.call("resume_url").await.expect(404);
    waiting.stage.restart().await;
    assert_eq!(waiting.ended().await["state"], "cancelled");
    assert_eq!(waiting.reports(), ["/ask"]);
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_delayed_run_whose_time_came_while_the_server_was_down_goes_on_at_its_start(
    #[case] backend: Backend,
) {
    let mut waiting = Waiting::start(backend, receiver(), "$.flow.delay(1500);").await;
    waiting.stage.kill9();
    wait_for(PATIENCE, "the time to come", async || {
        (now_ms() > waiting.due_at()).then_some(())
    })
    .await;
    waiting.stage.restart().await;
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(waiting.reports(), ["/ask", "/act"]);
}

#[tokio::test]
async fn a_delayed_run_is_not_early_because_of_a_kill() {
    let mut waiting = Waiting::start(Backend::Sqlite, receiver(), "$.flow.delay(4000);").await;
    waiting.stage.restart().await;
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let acted_at = run["steps"][1]["started_at_ms"].as_i64().expect("a time");
    assert!(acted_at >= waiting.due_at(), "{run}");
}

#[tokio::test]
async fn a_failed_step_that_waits_for_its_retry_is_retried_after_a_kill() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500),
        _ => Answer::status(200).after(Duration::from_millis(10)),
    });
    let mut waiting = Waiting::start(Backend::Sqlite, receiver, "").await;
    assert_eq!(waiting.run["waits_for"]["kind"], "retry");
    waiting.stage.restart().await;
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let steps = run["steps"].as_array().expect("steps").iter();
    let told: Vec<_> = steps
        .map(|step| json!([step["name"], step["attempt"], step["state"]]))
        .collect();
    let expected = [
        json!(["ask", 1, "failed"]),
        json!(["ask", 2, "completed"]),
        json!(["act", 1, "completed"]),
    ];
    assert_eq!(told, expected, "{run}");
    let retried_at = run["steps"][1]["started_at_ms"].as_i64().expect("a time");
    assert!(retried_at >= waiting.due_at(), "{run}");
    assert_eq!(waiting.reports(), ["/ask", "/ask", "/act"]);
}

#[tokio::test]
async fn a_step_that_is_to_run_again_has_its_context_after_a_kill() {
    let again = "const { runs, context } = $.context.run; \
                 if (runs === 1) return $.flow.rerun(1500, { page: 7 }); \
                 return { runs, context };";
    let mut waiting = Waiting::start(Backend::Sqlite, receiver(), again).await;
    assert_eq!(waiting.run["waits_for"]["kind"], "rerun");
    waiting.stage.restart().await;
    let run = waiting.ended().await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let expected = json!({ "runs": 2, "context": { "page": 7 } });
    assert_eq!(*returned(&run, "ask"), expected, "{run}");
    assert_eq!(waiting.reports(), ["/ask", "/ask", "/act"]);
}
