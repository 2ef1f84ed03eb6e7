//! The starter set: components that come with the binary, on a real server against servers on loopback.

mod actions;
mod command;
mod database;
mod mail;
mod own_tests;
mod polling;
mod registration;
mod requests;
mod s3;
mod webhooks;

use serde_json::{Value, json};
use sluice_testkit::{Api, Plan, ServerInfo, shared, wait_for};

use crate::{
    support::{Deployed, PATIENCE, own_server, unique_name},
    workflows::fixtures::{Workflow, deploy_with},
};

/// A server with the starter set that may reach this machine.
pub(crate) fn server() -> &'static ServerInfo {
    shared("starter", || {
        own_server()
            .with_starter()
            .args(["--allow-private-network", "--send-retries", "50ms"])
    })
}

/// A new user of it.
pub(crate) async fn user() -> Api {
    let api = server().user(&unique_name(), Plan::Free).await;
    until_registered(&api, "http").await;
    api
}

/// Components of a set are registered in one transaction.
async fn until_registered(api: &Api, key: &str) {
    let path = format!("/components/registry/{key}");
    wait_for(PATIENCE, "the starter set", async || {
        (api.get(&path).await.status == 200).then_some(())
    })
    .await;
}

/// Deploys a component of the set by its key.
async fn deploy_key(api: &Api, key: &str, props: Value) -> Deployed {
    let body = json!({ "key": key, "configured_props": props });
    let source = api.post("/sources", &body).await.ok();
    let id = source["id"].as_str().expect("an id").to_owned();
    Deployed {
        api: api.clone(),
        id,
        source,
    }
}

/// A schedule on which nothing happens during a test. Tests run the source by themselves.
fn rarely() -> Value {
    json!({ "cron": "0 0 1 1 *" })
}

/// Runs a source, and waits until the invocation is committed. It must be the only one of its user.
async fn poll(source: &Deployed) {
    let before = invocations(&source.api).await;
    source.run(json!({})).await;
    wait_for(PATIENCE, "the invocation", async || {
        (invocations(&source.api).await > before).then_some(())
    })
    .await;
}

/// Runs a source that must fail; gives the message.
async fn failure(source: &Deployed) -> String {
    let before = source.errors_so_far().await.len();
    poll(source).await;
    let errors = source.errors(before + 1).await;
    errors[before]["error"]["msg"].to_string()
}

async fn invocations(api: &Api) -> u64 {
    let user = api.get("/users/me").await.ok();
    let count = user["daily_invocations_used"].as_u64();
    count.unwrap_or_else(|| panic!("no count: {user}"))
}

/// A workflow of actions, each by its key with its props. A step has the name of its key, with underscores.
async fn workflow(api: &Api, steps: &[(&str, Value)]) -> Workflow {
    workflow_with_secret(api, "", steps).await
}

/// As [`workflow`], with a value for `process.env.SECRET`.
async fn workflow_with_secret(api: &Api, secret: &str, steps: &[(&str, Value)]) -> Workflow {
    let steps: Vec<Value> = steps
        .iter()
        .map(|(key, props)| json!({ "name": key.replace('-', "_"), "action": key, "props": props }))
        .collect();
    let document =
        json!({ "name": "Test", "env": { "SECRET": { "secret": true } }, "steps": steps });
    let body = json!({ "document": document.to_string(), "secrets": { "SECRET": secret } });
    deploy_with(api, &body).await
}
