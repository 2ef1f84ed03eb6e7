//! Empty processes that wait for a component, and processes that go when memory is short.

use serde_json::json;
use sluice_testkit::{Api, Method, Server, wait_for};

use super::processes::{children, is_alive, kill};
use crate::support::{PATIENCE, deploy, own_server, server_as_it_comes};

const ECHO: &str =
    "module.exports = { name: 'Echo', version: '1', run(event) { this.$emit(event); } };";

async fn metric(api: &Api, name: &str) -> u64 {
    let text = api.root(Method::GET, "/metrics").send().await.text;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|value| value.trim().parse().ok())
        .unwrap_or_else(|| panic!("no metric {name}"))
}

async fn until_metric(api: &Api, name: &str, wanted: u64) {
    wait_for(PATIENCE, &format!("{name} to be {wanted}"), async || {
        (metric(api, name).await == wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_first_event_takes_a_process_that_waits_and_another_takes_its_place() {
    let server = Server::start(server_as_it_comes()).await;
    let api = server.api();
    let source = deploy(&api, ECHO).await;
    until_metric(&api, "sluice_warm_processes", 2).await;
    let waiting = children(server.pid());
    source.run(json!({ "a": 1 })).await;
    assert_eq!(source.events(1).await, [json!({ "a": 1 })]);
    until_metric(&api, "sluice_warm_processes", 2).await;
    let now = children(server.pid());
    assert_eq!(now.len(), 3);
    assert!(waiting.iter().all(|process| now.contains(process)));
}

#[tokio::test]
async fn processes_that_died_while_they_waited_are_no_loss() {
    let server = Server::start(server_as_it_comes()).await;
    let api = server.api();
    let source = deploy(&api, ECHO).await;
    until_metric(&api, "sluice_warm_processes", 2).await;
    for process in children(server.pid()) {
        kill(process);
    }
    source.run(json!({ "a": 1 })).await;
    assert_eq!(source.events(1).await, [json!({ "a": 1 })]);
}

#[tokio::test]
async fn processes_that_wait_do_not_outlive_the_server() {
    let mut server = Server::start(server_as_it_comes()).await;
    until_metric(&server.api(), "sluice_warm_processes", 2).await;
    let waiting = children(server.pid());
    assert_eq!(waiting.len(), 2);
    server.kill9();
    wait_for(PATIENCE, "them to be gone", async || {
        waiting
            .iter()
            .all(|process| !is_alive(*process))
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn no_process_waits_when_none_is_wanted() {
    let server = Server::start(server_as_it_comes().arg("--warm-processes").arg("0")).await;
    let source = deploy(&server.api(), ECHO).await;
    source.run(json!({ "a": 1 })).await;
    assert_eq!(source.events(1).await, [json!({ "a": 1 })]);
    assert_eq!(children(server.pid()).len(), 1);
}

#[tokio::test]
async fn when_memory_is_short_the_longest_idle_process_goes_and_starts_again_when_needed() {
    let options = own_server().arg("--memory-budget").arg("1");
    let server = Server::start(options).await;
    let api = server.api();
    let source = deploy(&api, ECHO).await;
    for round in 1..=2 {
        source.run(json!(round)).await;
        source.events(round).await;
        until_metric(&api, "sluice_processes", 0).await;
        wait_for(PATIENCE, "the process to be gone", async || {
            children(server.pid()).is_empty().then_some(())
        })
        .await;
    }
}
