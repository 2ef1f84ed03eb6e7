//! `propDefinition`: what a prop takes over from an app, and what happens when there is nothing to take.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Server, wait_for};

use super::{Form, save};
use crate::support::{PATIENCE, deploy, deploy_with, new_user, own_server, unique_name};

const APP: &str = r#"
const app = { type: "app", app: "git", methods: {}, propDefinitions: {
    short: "integer",
    repo: { type: "string", label: "Repository", description: "Which", optional: true, async options() { return []; } },
    many: { propDefinition: [{ propDefinitions: { one: { type: "string[]", label: "One", default: ["x"] } } }, "one"], label: "Many" },
    ring: { propDefinition: [null, "gnir"], label: "Ring" }, gnir: { propDefinition: [null, "ring"], type: "string" },
} };
app.propDefinitions.ring.propDefinition[0] = app; app.propDefinitions.gnir.propDefinition[0] = app;"#;

#[rstest]
#[tokio::test]
async fn a_prop_has_what_it_inherits_and_its_own_fields_win(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        APP,
        "props: { app,
            repo: { propDefinition: [app, 'repo', (c) => ({ owner: c.owner })], label: 'Mine', optional: false },
            short: { propDefinition: [app, 'short'], min: 1 },
            many: { propDefinition: [app, 'many'], description: 'All' } }, run() {}",
    );
    let saved = save(&new_user().await, &code).await;
    assert_eq!(
        saved["configurable_props"],
        json!([
            { "name": "app", "type": "app", "app": "git" },
            { "name": "repo", "type": "string", "label": "Mine", "description": "Which", "optional": false, "remoteOptions": true },
            { "name": "short", "type": "integer", "min": 1 },
            { "name": "many", "type": "string[]", "label": "Many", "default": ["x"], "description": "All" },
        ])
    );
}

#[tokio::test]
async fn options_of_a_propdefinition_give_way_to_own_ones() {
    let code = Form::EsModule.module(
        APP,
        "props: { app, repo: { propDefinition: [app, 'repo'], options: ['a'] } }, run() {}",
    );
    let saved = save(&new_user().await, &code).await;
    let row = &saved["configurable_props"][1];
    assert_eq!(
        [&row["options"], &row["remoteOptions"]],
        [&json!(["a"]), &json!(null)]
    );
}

#[rstest]
#[tokio::test]
async fn a_propdefinition_that_names_nothing_warns_in_the_log_of_the_source(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        APP,
        "props: { app, a: { propDefinition: [app, 'nowhere'], label: 'A' }, b: { propDefinition: [undefined, 'x'], type: 'integer' },
            c: { propDefinition: 'nonsense', optional: true }, d: { propDefinition: [app, 'ring'] } },
         run() { this.$emit([this.a, this.b]); }",
    );
    let api = new_user().await;
    let saved = save(&api, &code).await;
    let rows = saved["configurable_props"].as_array().expect("rows");
    assert_eq!(
        rows[1..],
        [
            json!({ "name": "a", "type": "any", "label": "A" }),
            json!({ "name": "b", "type": "integer" }),
            json!({ "name": "c", "type": "any", "optional": true }),
            json!({ "name": "d", "type": "string", "label": "Ring" }),
        ]
    );
    let source = deploy_with(&api, &code, json!({ "a": [1], "b": 2, "d": "x" })).await;
    let logs = source.logs().await;
    let warnings: Vec<_> = logs
        .iter()
        .filter(|line| line["k"] == "warning")
        .map(|line| line["msg"].as_str().expect("a text"))
        .collect();
    assert_eq!(
        warnings,
        [
            "prop a: its propDefinition names \"nowhere\", which the app git does not define",
            "prop b: its propDefinition names no app",
            "prop c: its propDefinition names no app",
            "prop d: its propDefinition leads back to itself",
        ]
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!([[1], 2])]);
}

#[tokio::test]
async fn new_code_warns_once_more_and_new_values_do_not() {
    let code = Form::EsModule.module(
        APP,
        "props: { a: { propDefinition: [app, 'nowhere'] } }, run() {}",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "a": 1 })).await;
    let values = json!({ "configured_props": { "a": 2 } });
    source.api.put(&source.path(""), &values).await.ok();
    assert_eq!(source.logs().await.len(), 1);
    let again = json!({ "component_code": format!("{code} // again") });
    source.api.put(&source.path(""), &again).await.ok();
    assert_eq!(source.logs().await.len(), 2);
}

#[tokio::test]
async fn the_log_of_the_server_shows_warnings_when_code_is_saved() {
    let name = unique_name();
    let code = Form::EsModule.module(
        APP,
        &format!("props: {{ a: {{ propDefinition: [app, '{name}'] }} }}, run() {{}}"),
    );
    let server = Server::start(own_server()).await;
    save(&server.api(), &code).await;
    wait_for(PATIENCE, "a warning in the log", async || {
        server.logs().contains(&name).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_default_that_is_a_function_is_none_and_a_computed_one_is_captured() {
    let code = Form::EsModule.module(
        "const app = { type: 'app', app: 'x', propDefinitions: { id: { type: 'string', default: String(Math.random()) } } };",
        "props: { id: { propDefinition: [app, 'id'] }, f: { type: 'string', optional: true, default() { return 'x'; } } },
         run() { this.$emit([this.id, this.f ?? null]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    let id = source.source["configured_props"]["id"].clone();
    for _ in 0..2 {
        source.run(json!({})).await;
    }
    assert_eq!(
        source.events(2).await,
        [json!([id, null]), json!([id, null])]
    );
}
