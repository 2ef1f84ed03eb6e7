//! Sources and workflows that are created, changed and deleted on different nodes.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Method, PUBLIC_URL};

use super::stage::{NODES, Stage};
use crate::workflows::fixtures::{self, Workflow, returned};

/// Code whose hooks and `run` emit who they are.
fn traced(version: &str) -> String {
    format!(
        "module.exports = {{
           name: 'traced', version: '0.0.1', props: {{ http: '$.interface.http' }},
           hooks: {{
             deploy() {{ this.$emit('deploy {version}'); }},
             activate() {{ this.$emit('activate {version}'); }},
             deactivate() {{ this.$emit('deactivate {version}'); }},
           }},
           run() {{ this.$emit('run {version}'); }},
         }};"
    )
}

#[tokio::test]
async fn a_source_is_created_changed_and_deleted_on_different_nodes() {
    let stage = Stage::start().await;
    let source = stage.deploy(1, &traced("v1")).await.remove(0);
    stage.send(1, &source, &json!({})).await.expect(200);
    source.events(3).await;

    let change = async |node: usize, body: Value| {
        let source = stage.on(node, &source);
        source.api.put(&source.path(""), &body).await.ok()
    };
    change(1, json!({ "component_code": traced("v2") })).await;
    stage.send(2, &source, &json!({})).await.expect(200);
    source.events(6).await;
    change(2, json!({ "active": false })).await;
    change(0, json!({ "active": true })).await;
    for node in 0..NODES {
        stage.send(node, &source, &json!({})).await.expect(200);
    }
    let expected = [
        "deploy v1",
        "activate v1",
        "run v1",
        "deactivate v1",
        "activate v2",
        "run v2",
        "deactivate v2",
        "activate v2",
        "run v2",
        "run v2",
        "run v2",
    ];
    let events = stage.on(2, &source).events(expected.len()).await;
    assert_eq!(events, expected);

    let deleted = stage.on(2, &source);
    assert!(deleted.api.delete(&source.path("")).await.status < 300);
    for node in 0..NODES {
        stage.send(node, &source, &json!({})).await.expect(404);
        let api = stage.node(node).api();
        api.get(&source.path("")).await.expect(404);
    }
}

#[tokio::test]
async fn a_workflow_is_deployed_on_one_node_and_runs_for_requests_to_others() {
    let stage = Stage::start().await;
    let document = |word: &str| {
        let body = format!("return '{word} ' + steps.trigger.event.body.n");
        fixtures::running(&[("answer", &body)]).to_string()
    };
    let workflow = fixtures::deploy(&stage.node(0).api(), &document("first")).await;
    let endpoint = workflow.endpoint().await;
    let path = endpoint.strip_prefix(PUBLIC_URL).expect("an endpoint");
    let send = async |node: usize| send(&stage, node, path).await;
    for node in 0..NODES {
        send(node).await.expect(200);
    }
    assert_eq!(
        results(&workflow, NODES).await,
        ["first 0", "first 1", "first 2"]
    );

    let elsewhere = Workflow {
        api: stage.node(1).api(),
        ..workflow
    };
    elsewhere.redeploy(&document("second")).await;
    for node in 0..NODES {
        send(node).await.expect(200);
    }
    let results = results(&elsewhere, 2 * NODES).await;
    assert_eq!(results[NODES..], ["second 0", "second 1", "second 2"]);
}

async fn send(stage: &Stage, node: usize, path: &str) -> Answer {
    let node_url = stage.node(node).url();
    let api = stage.node(node).api();
    let request = api.absolute(Method::POST, &format!("{node_url}{path}"));
    request.json(&json!({ "n": node })).send().await
}

/// What the runs returned, oldest run first.
async fn results(workflow: &Workflow, count: usize) -> Vec<Value> {
    let runs = workflow.ended_runs(count).await;
    assert_eq!(runs.len(), count);
    let mut results = Vec::new();
    for run in runs.iter().rev() {
        let id = run["id"].as_str().expect("an id");
        results.push(returned(&workflow.run_of(id).await, "answer").clone());
    }
    results
}
