//! Runs and a server that is killed.

use serde_json::json;
use sluice_testkit::{Method, Server, wait_for};

use super::fixtures::action;
use crate::support::{PATIENCE, own_server};

#[tokio::test]
async fn a_run_goes_on_after_its_server_was_killed_and_its_client_is_gone() {
    let mut server = Server::start(own_server()).await;
    let api = server.api();
    let code = action("await new Promise((end) => setTimeout(end, 1500)); return 'done';");
    let body = json!({ "component_code": code });
    let waiting = tokio::spawn(async move {
        let request = api.request(Method::POST, "/actions/run");
        request.json(&body).try_send().await.is_err()
    });
    let api = server.api();
    let run = wait_for(PATIENCE, "the run", async || {
        let runs = api.get("/actions/runs").await.ok();
        runs[0]["id"].as_str().map(str::to_owned)
    })
    .await;
    server.kill9();
    assert!(waiting.await.unwrap(), "the client got an answer");
    server.restart().await;
    let api = server.api();
    let ended = wait_for(PATIENCE, "the end of the run", async || {
        let run = api.get(&format!("/actions/runs/{run}")).await.ok();
        run["finished_at_ms"].is_i64().then_some(run)
    })
    .await;
    assert_eq!(ended["return_value"], "done", "{ended:#}");
}
