//! Each tool of the server is called once with success.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::official_client::{call, list, names, over_http, value};
use crate::{
    actions::publish,
    support::{Deployed, new_user},
    workflows::fixtures::Workflow,
};

const FORM: &str = r#"export default {
  name: "Form", key: "test-form", version: "0.0.1", type: "action",
  props: { kind: { type: "string", reloadProps: true, async options() { return ["box", "bag"]; } } },
  async additionalProps() { return this.kind ? { size: { type: "integer", label: `Size of ${this.kind}` } } : {}; },
  run() { return [this.kind, this.size]; },
};"#;

const SOURCE: &str = r#"export default {
  name: "Clicks", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { console.log("got", event.n); this.$emit({ n: event.n }); },
};"#;

const WORKFLOW: &str = r#"
name: Numbers
triggers:
  - http: {}
steps:
  - name: work
    code: |
      export default defineComponent({ async run({ steps, $ }) {
        const { n } = steps.trigger.event;
        if (n < 0) throw new Error("negative");
        $.send.emit({ n });
        return n;
      } })
"#;

/// A client that knows the names of the tools that it called.
struct Agent {
    api: Api,
    called: BTreeSet<String>,
}

impl Agent {
    /// Calls tools at the same time. All must succeed.
    async fn call<const COUNT: usize>(&mut self, calls: [(&str, Value); COUNT]) -> [Value; COUNT] {
        let names = calls.iter().map(|(tool, _)| (*tool).to_owned());
        self.called.extend(names);
        let requests = calls.map(|(tool, arguments)| call(tool, arguments));
        let results = over_http(&self.api, &requests).await.results;
        let results = results.iter().map(value).collect::<Vec<_>>();
        results.try_into().expect("a result for each call")
    }
}

/// An action with options and further props, a source and a workflow.
struct Built {
    form: String,
    source: Deployed,
    workflow: Workflow,
}

async fn build(agent: &mut Agent) -> Built {
    let form = publish(&agent.api, FORM).await;
    let [source, workflow] = agent
        .call([
            (
                "sluice_deploy_source",
                json!({ "component_code": SOURCE, "name": "clicks" }),
            ),
            ("sluice_deploy_workflow", json!({ "document": WORKFLOW })),
        ])
        .await;
    let id = |shown: &Value| shown["id"].as_str().expect("an id").to_owned();
    Built {
        form,
        source: Deployed {
            api: agent.api.clone(),
            id: id(&source),
            source,
        },
        workflow: Workflow {
            api: agent.api.clone(),
            id: id(&workflow),
            shown: workflow,
        },
    }
}

async fn look_around(agent: &mut Agent, built: &Built) {
    let (source, workflow) = (&built.source.id, &built.workflow.id);
    let [
        overview,
        schema,
        _,
        _,
        _,
        components,
        sources,
        workflows,
        one,
        other,
    ] = agent
        .call([
            ("sluice_overview", json!({})),
            ("sluice_workflow_schema", json!({})),
            ("sluice_list_accounts", json!({})),
            ("sluice_list_deliveries", json!({ "state": "failed" })),
            ("sluice_search_components", json!({ "query": "a form" })),
            ("sluice_list_components", json!({ "q": "form" })),
            ("sluice_list_sources", json!({})),
            ("sluice_list_workflows", json!({})),
            ("sluice_get_source", json!({ "id": source })),
            ("sluice_get_workflow", json!({ "id": workflow })),
        ])
        .await;
    assert!(overview.is_object(), "{overview}");
    assert!(schema["properties"]["steps"].is_object(), "{schema}");
    assert!(components.to_string().contains("test-form"), "{components}");
    assert_eq!(sources["data"][0]["id"], json!(source));
    assert_eq!(workflows["data"][0]["id"], json!(workflow));
    assert_eq!(
        (&one["id"], &other["id"]),
        (&json!(source), &json!(workflow))
    );
}

/// Props, options and runs of an action.
async fn use_action(agent: &mut Agent, key: &str) {
    let values = json!({ "kind": "box" });
    let [component, options, props] = agent
        .call([
            ("sluice_get_component", json!({ "key_or_id": key })),
            (
                "sluice_prop_options",
                json!({ "id": key, "prop_name": "kind" }),
            ),
            (
                "sluice_component_props",
                json!({ "id": key, "configured_props": values }),
            ),
        ])
        .await;
    assert_eq!(component["configurable_props"][0]["name"], "kind");
    assert_eq!(options["stringOptions"], json!(["box", "bag"]));
    let declared = &props["dynamicProps"]["configurableProps"][1];
    assert_eq!(declared["label"], "Size of box", "{props}");
    let arguments = json!({ "key": key, "configured_props": { "kind": "box", "size": 3 } });
    let [run] = agent.call([("sluice_run_action", arguments)]).await;
    assert_eq!(run["return_value"], json!(["box", 3]), "{run}");
    let query = |key: &str| json!({ "q": format!("key:{key}"), "since": "0" });
    let [found, read] = agent
        .call([
            ("sluice_list_action_runs", query(key)),
            ("sluice_get_action_run", json!({ "run_id": run["id"] })),
        ])
        .await;
    assert_eq!(found["data"][0]["id"], run["id"], "{found}");
    assert_eq!(read["return_value"], run["return_value"]);
    let [missing] = agent
        .call([("sluice_list_action_runs", query("other"))])
        .await;
    assert_eq!(missing["data"], json!([]));
}

async fn use_source(agent: &mut Agent, source: &Deployed) {
    let id = &source.id;
    let event = json!({ "id": id, "event": { "n": 7 } });
    agent.call([("sluice_run_source", event)]).await;
    source.events(1).await;
    let [events, logs] = agent
        .call([
            ("sluice_list_events", json!({ "id": id, "q": "n:7" })),
            ("sluice_list_logs", json!({ "id": id })),
        ])
        .await;
    assert!(logs.to_string().contains("got 7"), "{logs}");
    let event = &events["data"][0]["id"];
    let [replayed, changed] = agent
        .call([
            (
                "sluice_replay_events",
                json!({ "id": id, "event_id": event }),
            ),
            (
                "sluice_update_source",
                json!({ "id": id, "name": "taps", "active": false }),
            ),
        ])
        .await;
    assert_eq!(replayed["events"], 1, "{replayed}");
    assert_eq!(
        (&changed["name"], &changed["active"]),
        (&json!("taps"), &json!(false))
    );
}

async fn use_workflow(agent: &mut Agent, workflow: &Workflow) {
    let id = &workflow.id;
    let run = |n: i64| {
        let arguments = json!({ "id": id, "event": { "n": n } });
        ("sluice_run_workflow", arguments)
    };
    let [good, bad] = agent.call([run(7), run(-7)]).await;
    let ids = [&good, &bad].map(|run| run["id"].as_str().expect("an id"));
    for id in ids {
        workflow.ended(id).await;
    }
    let of_run = |id: &str| json!({ "id": workflow.id, "run_id": id });
    let test = json!({ "workflow": id, "event": { "n": 1 } });
    let [failed, shown, again, events, errors, tested] = agent
        .call([
            ("sluice_list_runs", json!({ "id": id, "state": "failed" })),
            ("sluice_get_run", of_run(ids[0])),
            ("sluice_replay_run", of_run(ids[1])),
            (
                "sluice_list_workflow_events",
                json!({ "id": id, "q": "raw_event.n:7" }),
            ),
            (
                "sluice_list_workflow_errors",
                json!({ "id": id, "q": "negative" }),
            ),
            ("sluice_test_workflow", test),
        ])
        .await;
    assert_eq!(failed["data"][0]["id"], ids[1], "{failed}");
    assert_eq!(shown["state"], "succeeded", "{shown}");
    assert_ne!(again["id"], bad["id"]);
    assert_eq!(events["data"][0]["event"]["raw_event"]["n"], 7, "{events}");
    assert!(errors["data"].to_string().contains("negative"), "{errors}");
    assert_eq!(tested["steps"][0]["sends"][0]["state"], "shown", "{tested}");
    let change = json!({ "id": id, "active": false });
    let [changed] = agent.call([("sluice_update_workflow", change)]).await;
    assert_eq!(changed["active"], false, "{changed}");
}

#[tokio::test]
async fn each_tool_is_called_with_success() {
    let mut agent = Agent {
        api: new_user().await,
        called: BTreeSet::new(),
    };
    let built = build(&mut agent).await;
    look_around(&mut agent, &built).await;
    use_action(&mut agent, &built.form).await;
    use_source(&mut agent, &built.source).await;
    use_workflow(&mut agent, &built.workflow).await;
    let deleted = agent
        .call([
            ("sluice_delete_source", json!({ "id": built.source.id })),
            ("sluice_delete_workflow", json!({ "id": built.workflow.id })),
        ])
        .await;
    assert_eq!(deleted, ["done", "done"]);
    let listed = over_http(&agent.api, &[list()]).await.results;
    let listed = names(&listed[0]).into_iter().map(str::to_owned);
    assert_eq!(agent.called, listed.collect(), "a tool is never called");
}
