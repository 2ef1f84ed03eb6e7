//! A document with mistakes is refused with all of them at once, each with its line.

use serde_json::json;

use crate::{
    support::new_user,
    workflows::fixtures::{ECHO, deploy, faults, faults_with},
};

#[tokio::test]
async fn mistakes_of_the_text_have_their_line_and_column() {
    let api = new_user().await;
    let body = json!({ "document": "name: Bad\nstep:\n  - name: one\n" });
    let refusal = api.post("/workflows", &body).await.expect(422);
    let first = &refusal["details"]["document"][0];
    assert!(
        first["line"].is_u64() && first["column"].is_u64(),
        "{refusal}"
    );
    assert!(first["path"].is_string() && first["message"].is_string());
}

#[tokio::test]
async fn mistakes_of_what_it_refers_to_are_told_all_at_once() {
    let api = new_user().await;
    let document = r#"name: Wrong
env:
  TOKEN: { secret: true }
triggers:
  - events: { from: nobody }
  - events: { from: dc_unknown }
steps:
  - name: one
    code: |
      export default defineComponent({
        async run( { return 1 }
      })
  - name: two
    action: no-such-action
  - name: three
    file: ./missing.mjs
  - name: four
    code: |
      export default defineComponent({ props: { url: "string", n: "integer" }, async run() {} })
    props:
      n: many
      colour: red
      other: "{{ 1 + }}"
"#;
    let found = faults(&api, document).await;
    for (place, message) in [
        ("3: env.TOKEN: ", "has no value yet"),
        ("5: triggers[0].events.from: ", "names no source"),
        ("6: triggers[1].events.from: ", "names no source"),
        ("11: steps[0].code: ", ""),
        ("14: steps[1].action: ", "names no component"),
        ("16: steps[2].file: ", "not among the files"),
        ("steps[3].props.url: ", "is required"),
        ("21: steps[3].props.n: ", "must be an integer"),
        ("22: steps[3].props.colour: ", "is not a prop"),
        ("23: steps[3].props.other: ", "1 +"),
    ] {
        let told = |fault: &&String| fault.contains(place) && fault.contains(message);
        assert!(
            found.iter().any(|fault| told(&fault)),
            "{place}{message}: {found:#?}"
        );
    }
}

#[tokio::test]
async fn a_fault_in_a_file_says_which_and_where() {
    let api = new_user().await;
    let document = "name: Files\nsteps:\n  - name: one\n    file: lib/one.mjs\n";
    let body = json!({ "document": document, "files": { "./lib/one.mjs": "\nexport default {{" } });
    let found = faults_with(&api, &body).await;
    assert!(
        found[0].starts_with("4: steps[0].file: lib/one.mjs:2:"),
        "{found:?}"
    );
}

#[tokio::test]
async fn files_stay_in_their_folder() {
    let api = new_user().await;
    let body = json!({ "document": ECHO, "files": { "../escape.mjs": "" } });
    let refusal = api.post("/workflows", &body).await.expect(422);
    assert!(
        refusal["details"]["files"][0]
            .as_str()
            .expect("text")
            .contains("../escape.mjs")
    );
}

#[tokio::test]
async fn a_refused_document_leaves_everything_as_it_was() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    let before = workflow.now().await;
    let body = json!({ "document": ECHO.replace("code: |", "action: nothing"), "active": false });
    api.put(&workflow.path(""), &body).await.expect(422);
    assert_eq!(workflow.now().await, before);
    api.post("/workflows", &body).await.expect(422);
    assert_eq!(
        api.get("/workflows").await.expect(200)["page_info"]["total_count"],
        1
    );
}
