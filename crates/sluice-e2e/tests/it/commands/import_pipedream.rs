//! `sluice import pipedream` from a fake API, and `sluice apply` of the result: the sources and workflows run.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Cli, Folder};

const TIMEOUT: Duration = Duration::from_mins(1);

const COMPONENT: &str = r#"export default {
  key: "mine-orders", name: "Orders", version: "0.0.1",
  props: { http: "$.interface.http", label: "string", token: { type: "string", secret: true } },
  run(event) { this.$emit({ label: this.label, token: this.token, order: event.body }); },
};
"#;

const WORKFLOW: &str = r#"schema: workflow/2022.04
name: Forward Orders
settings:
  error_notification: true
triggers:
- id: dc_1
steps:
- namespace: count
  runtime: nodejs20.x
  uses: "./count/entry.js"
  props:
    prefix: "{{process.env.PREFIX}}"
"#;

const STEP: &str = r#"export default defineComponent({
  props: { prefix: "string" },
  async run({ steps, $ }) {
    const { label, token, order } = steps.trigger.event;
    return [this.prefix, label, token, order.number].join(" ");
  },
})
"#;

fn list(rows: &Value) -> String {
    json!({ "data": rows }).to_string()
}

/// The account at Pipedream: two sources, a webhook and two subscriptions.
fn pipedream() -> Receiver {
    Receiver::start(|request| {
        let path = request.path.trim_start_matches("/v1");
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let props = json!({ "http": { "endpoint_url": "https://old.m.pipedream.net" }, "label": "new", "token": "********" });
        let row = |id: &str, name: &str, active: bool| json!({ "id": id, "name": name, "component_id": "sc_1", "configured_props": props, "active": active });
        let body = match path {
            "/users/me/sources" => list(&json!([
                row("dc_1", "New orders", true),
                row("dc_2", "Old orders", false)
            ])),
            "/users/me/webhooks" => list(
                &json!([{ "id": "wh_1", "name": "Ops", "url": "https://example.com/x", "active": true }]),
            ),
            "/users/me/subscriptions" => list(&json!([
                { "id": "sub_1", "emitter_id": "dc_1", "listener_id": "p_1", "event_name": "" },
                { "id": "sub_2", "emitter_id": "dc_2", "listener_id": "wh_1", "event_name": "" },
            ])),
            "/accounts" => list(&json!([])),
            "/users/me" => json!({ "data": { "id": "u_1" } }).to_string(),
            "/components/sc_1" => {
                json!({ "data": { "name": "Orders", "code": COMPONENT } }).to_string()
            }
            _ => return Answer::status(404),
        };
        Answer::status(200).body(body)
    })
}

#[tokio::test]
async fn an_imported_account_is_applied_and_runs() {
    let api = pipedream();
    let folder = Folder::with(&[
        ("synced/forward-p_1/workflow.yaml", WORKFLOW),
        (
            "synced/forward-p_1/.workflow.state",
            "schema: workflow.state/2022.04\nid: p_1\n",
        ),
        ("synced/forward-p_1/count/entry.js", STEP),
        (
            "secrets.yaml",
            "SOURCE_NEW_ORDERS_TOKEN: t1\nSOURCE_OLD_ORDERS_TOKEN: t2\nWORKFLOW_FORWARD_ORDERS_PREFIX: P\n",
        ),
    ]);
    let cli = Cli::new().await.with_env("PIPEDREAM_API_KEY", "key");
    let (moved, synced) = (
        format!("{}/moved", folder.path()),
        format!("{}/synced", folder.path()),
    );
    let base = api.url("/v1");
    let import = [
        "import",
        "pipedream",
        "--to",
        &moved,
        "--base-url",
        &base,
        "--workflows",
        &synced,
    ];
    let out = cli.ok(&import).await;
    assert!(
        out.contains("1 component, 2 sources, 1 workflow, 1 webhook, 1 subscription\n"),
        "{out}"
    );
    assert!(out.contains("3 secrets to enter"), "{out}");

    let secrets = format!("{}/secrets.yaml", folder.path());
    let apply = ["apply", &moved, "--yes", "--secrets-file", &secrets];
    cli.ok(&apply).await;
    let out = cli.ok(&apply).await;
    assert!(out.starts_with("No changes;"), "{out}");

    let sources = cli.api.get("/users/me/sources").await.ok();
    let named = |name: &str| {
        let sources = sources.as_array().expect("a list");
        let found = sources.iter().find(|source| source["name"] == name);
        found
            .unwrap_or_else(|| panic!("{name}: {sources:?}"))
            .clone()
    };
    assert_eq!(named("Old orders")["active"], false);
    let endpoint = named("New orders")["configured_props"]["http"]["endpoint_url"].clone();
    let endpoint = endpoint.as_str().expect("an endpoint");
    let request = cli.api.absolute(Method::POST, endpoint);
    request.json(&json!({ "number": 7 })).send().await.ok();
    wait_for(TIMEOUT, "the run of the workflow", async || {
        let runs = ["workflows", "runs", "forward-orders"];
        let listed = cli.ok(&[&runs[..], &["--json"]].concat()).await;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let id = listed[0]["id"].as_str()?;
        let run = cli.ok(&[&runs[..], &[id]].concat()).await;
        run.contains("P new t1 7").then_some(())
    })
    .await;
}
