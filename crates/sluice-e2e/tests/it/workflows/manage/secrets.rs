//! Secret environment values: given beside the document, kept sealed, never shown.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{deploy_with, faults, faults_with, returned},
};

const WITH_TOKEN: &str = r#"
name: With token
env:
  PLACE: here
  TOKEN: { secret: true }
steps:
  - name: one
    code: |
      export default defineComponent({
        props: { token: { type: "string", secret: true }, place: "string" },
        async run() { return [this.token, this.place, process.env.TOKEN ?? null] },
      })
    props: { token: "{{ process.env.TOKEN }}", place: "{{ process.env.PLACE }}" }
"#;

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn expressions_see_the_value_which_stays_until_another_is_given(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let body = json!({ "document": WITH_TOKEN, "secrets": { "TOKEN": "hunter2" } });
    let workflow = deploy_with(&api, &body).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(
        returned(&run, "one"),
        &json!(["hunter2", "here", null]),
        "{run}"
    );
    let second = workflow.redeploy(WITH_TOKEN).await;
    assert_eq!(second["version"], 2, "its value is there already");
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "one")[0], "hunter2");
    let third = workflow
        .change(&json!({ "secrets": { "TOKEN": "hunter3" } }))
        .await;
    assert_eq!(third["version"], 2, "a secret alone makes no version");
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "one")[0], "hunter3", "{run}");
    for path in ["", "/versions", "/versions/1"] {
        let shown = api.get(&workflow.path(path)).await.text;
        assert!(!shown.contains("hunter"), "{shown}");
    }
}

#[tokio::test]
async fn a_secret_without_a_value_is_a_fault_and_so_is_a_value_without_a_secret() {
    let api = new_user().await;
    let found = faults(&api, WITH_TOKEN).await;
    assert!(
        found[0].starts_with("5: env.TOKEN: is a secret that has no value yet"),
        "{found:?}"
    );
    let body =
        json!({ "document": WITH_TOKEN, "secrets": { "TOKEN": "x", "PLACE": "y", "ODD": "z" } });
    let found = faults_with(&api, &body).await;
    assert_eq!(found.len(), 2, "{found:?}");
    let body = json!({ "document": WITH_TOKEN, "secrets": { "TOKEN": "x" } });
    let workflow = deploy_with(&api, &body).await;
    let odd = json!({ "secrets": { "ODD": "z" } });
    let refusal = api.put(&workflow.path(""), &odd).await.expect(422);
    assert!(
        refusal["details"]["secrets"][0]
            .as_str()
            .expect("text")
            .contains("ODD")
    );
}
