//! Where the code of steps comes from: the document, files beside it, and saved components.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Api, Backend};

use crate::{
    support::{new_user, new_user_on, shared_server, unique_name},
    workflows::fixtures::{deploy, deploy_with, faults, returned},
};

const ACTION: &str = r#"export default { key: "KEY", name: "Note", version: "1.0.0", type: "action",
    props: { text: "string" }, async run() { return `noted ${this.text}` } };"#;

async fn save(api: &Api, code: &str) -> String {
    let saved = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    saved["id"].as_str().expect("an id").to_owned()
}

fn noting(action: &str) -> String {
    let step = json!({ "name": "note", "action": action, "props": { "text": "{{ event.text }}" } });
    json!({ "name": "Notes", "steps": [step] }).to_string()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_file_may_import_others_that_came_with_the_document(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let body = json!({
        "document": "name: Files\nsteps:\n  - name: one\n    file: ./steps/one.mjs\n  - name: two\n    code: |\n      import { twice } from './lib/twice.ts'\n      export default defineComponent({ run: ({ steps }) => twice(steps.one.$return_value) })\n",
        "files": {
            "steps/one.mjs": "import { twice } from '../lib/twice.ts';\nexport default { run: async ({ steps }) => twice(steps.trigger.event.n) };",
            "./lib/twice.ts": "export const twice = (n: number): number => n * 2;",
        },
    });
    let workflow = deploy_with(&api, &body).await;
    let run = workflow.run_and_wait(&json!({ "n": 3 })).await;
    assert_eq!(
        (returned(&run, "one"), returned(&run, "two")),
        (&json!(6), &json!(12)),
        "{run}"
    );
}

#[tokio::test]
async fn functions_and_typescript_are_steps_too() {
    let api = new_user().await;
    let document = r#"
name: Forms
steps:
  - name: arrow
    code: "async (event, steps, params) => { return params.greeting + event.who }"
    props: { greeting: "Hello {{ event.who }} and " }
  - name: typed
    code: |
      interface Seen { $return_value: string }
      export default defineComponent({ async run({ steps }: { steps: { arrow: Seen } }): Promise<string> { return steps.arrow.$return_value + "!" } })
"#;
    let workflow = deploy(&api, document).await;
    let run = workflow.run_and_wait(&json!({ "who": "Ada" })).await;
    assert_eq!(returned(&run, "typed"), "Hello Ada and Ada!", "{run}");
}

#[tokio::test]
async fn an_action_is_found_by_its_id_its_key_and_in_the_registry() {
    let api = new_user().await;
    let id = save(&api, &ACTION.replace("KEY", "acme-note")).await;
    let published = format!("test-{}", unique_name());
    let operator = shared_server(Backend::Sqlite).api();
    let registered = save(&operator, &ACTION.replace("KEY", &published)).await;
    let body = json!({ "component_id": registered });
    operator
        .post("/components/registry", &body)
        .await
        .expect(200);
    for name in [id.as_str(), "acme-note", &published] {
        let workflow = deploy(&api, &noting(name)).await;
        let run = workflow.run_and_wait(&json!({ "text": name })).await;
        assert_eq!(
            returned(&run, "note"),
            &json!(format!("noted {name}")),
            "{run}"
        );
    }
}

#[tokio::test]
async fn a_source_is_no_action_and_a_step_is_no_component() {
    let api = new_user().await;
    let source = save(
        &api,
        "module.exports = { name: 'S', version: '1', run() {} }",
    )
    .await;
    let found = faults(&api, &noting(&source)).await;
    assert!(found[0].contains("is a source"), "{found:?}");
    let code = ACTION
        .replace("KEY", "acme-hidden")
        .replace("{ text: \"string\" }", "{}");
    let step = json!({ "name": "hidden", "code": code });
    deploy(
        &api,
        &json!({ "name": "Hidden", "steps": [step] }).to_string(),
    )
    .await;
    let found = faults(&api, &noting("acme-hidden")).await;
    assert!(found[0].contains("names no component"), "{found:?}");
    let listed = api.get("/components").await.expect(200);
    assert_eq!(
        listed["page_info"]["total_count"], 1,
        "only the source: {listed}"
    );
}

#[tokio::test]
async fn a_version_keeps_the_code_of_an_action_that_changes_later() {
    let api = new_user().await;
    let code = ACTION.replace("KEY", "acme-note");
    save(&api, &code).await;
    let workflow = deploy(&api, &noting("acme-note")).await;
    save(&api, &code.replace("noted", "changed")).await;
    let run = workflow.run_and_wait(&json!({ "text": "x" })).await;
    assert_eq!(returned(&run, "note"), "noted x");
    workflow.redeploy(&noting("acme-note")).await;
    let run = workflow.run_and_wait(&json!({ "text": "x" })).await;
    assert_eq!(returned(&run, "note"), "changed x");
}
