//! What workflows emit, and their errors, in the lists that the API has for them.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use crate::{
    support::new_user_on,
    workflows::fixtures::{Workflow, deploy},
};

const EMITTING: &str = r#"
name: Emitting
steps:
  - name: emit
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { fail, n } = steps.trigger.event;
          if (fail) throw new Error("told to");
          $.send.emit({ raw_event: { n } });
          $.send.emit({ n }, "numbers");
        },
      })
"#;

async fn listed(workflow: &Workflow, list: &str) -> Vec<serde_json::Value> {
    let page = workflow.api.get(&workflow.path(list)).await.expect(200);
    page["data"].as_array().cloned().unwrap_or_default()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn emits_are_listed_and_errors_are_listed_apart(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, EMITTING).await;
    workflow.run_and_wait(&json!({ "n": 1 })).await;
    workflow.run_and_wait(&json!({ "fail": true })).await;
    let emitted = workflow.emitted(2).await;
    assert_eq!(
        emitted,
        [
            json!({ "raw_event": { "n": 1 } }),
            json!({ "raw_event": { "n": 1 } })
        ]
    );
    let rows = listed(&workflow, "/event_summaries?event_name=numbers").await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let metadata = &rows[0]["metadata"];
    assert_eq!(metadata["emitter_id"], workflow.id.as_str());
    assert_eq!(metadata["name"], "numbers");
    let errors = workflow.errors(1).await;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["error"]["msg"], "told to", "{errors:?}");
    let escaped = listed(&workflow, "/%24errors/event_summaries?expand=event").await;
    assert_eq!(escaped[0]["event"], errors[0]);
}
