//! Settings that change how sources are reached and how long their processes live.

use serde_json::json;
use sluice_testkit::{Method, Server, wait_for};

use super::component;
use crate::support::{PATIENCE, deploy, own_server};

const ECHO: &str =
    "props: { http: '$.interface.http' }, run(event) { this.$emit([event.path, event.body]); }";

#[tokio::test]
async fn with_an_endpoint_domain_each_endpoint_has_a_host_of_its_own() {
    let options = own_server()
        .arg("--endpoint-domain")
        .arg("hooks.example.com");
    let server = Server::start(options).await;
    let source = deploy(&server.api(), &component(ECHO)).await;
    let host = source
        .endpoint()
        .strip_prefix("http://")
        .expect("the scheme of the public address")
        .to_owned();
    assert!(host.ends_with(".hooks.example.com"), "{host}");
    let answer = source.api.root(Method::POST, "/a/b").header("host", &host);
    answer.json(&json!({ "n": 1 })).send().await.expect(200);
    assert_eq!(source.events(1).await, [json!(["/a/b", { "n": 1 }])]);
    // Everything else on that host is still an event, never the API.
    let answer = source
        .api
        .root(Method::POST, "/v1/sources")
        .header("host", &host);
    answer.json(&json!(2)).send().await.expect(200);
    assert_eq!(source.events(2).await[1], json!(["/v1/sources", 2]));
}

#[tokio::test]
async fn a_process_without_work_is_stopped_and_started_again_when_there_is_some() {
    let options = own_server().arg("--idle-timeout").arg("300ms");
    let server = Server::start(options).await;
    let source = deploy(&server.api(), &component(ECHO)).await;
    for n in 1..=2 {
        source.send(&json!(n)).await.expect(200);
        source.events(n).await;
        wait_for(PATIENCE, "no process", async || {
            let metrics = source.api.root(Method::GET, "/metrics").send().await.text;
            metrics.contains("sluice_processes 0\n").then_some(())
        })
        .await;
    }
    let metrics = source.api.root(Method::GET, "/metrics").send().await.text;
    assert!(
        metrics.contains("sluice_process_starts_total 2\n"),
        "{metrics}"
    );
}
