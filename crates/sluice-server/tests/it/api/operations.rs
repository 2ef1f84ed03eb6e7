//! What operators ask of the server: `/healthz` and `/metrics`.

use serde_json::json;
use sluice_testkit::{Api, Method};

use crate::support::{EMITTER, PATIENCE, deploy, new_user};

async fn metrics(api: &Api) -> String {
    let answer = api.root(Method::GET, "/metrics").send().await;
    assert_eq!(answer.status, 200);
    answer.text
}

/// The sum over all labels.
fn counter(metrics: &str, name: &str) -> f64 {
    let samples = metrics.lines().filter(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([' ', '{']))
    });
    samples
        .map(|line| {
            line.rsplit(' ')
                .next()
                .and_then(|value| value.parse::<f64>().ok())
                .expect("a number")
        })
        .sum()
}

#[tokio::test]
async fn healthz_answers_200_without_a_key() {
    let api = new_user().await;
    let answer = api.root(Method::GET, "/healthz").send().await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "ok"));
}

#[tokio::test]
async fn without_its_database_the_server_is_alive_and_not_ready() {
    let api = new_user().await;
    let status = async |path: &str| api.root(Method::GET, path).send().await.status;
    assert_eq!(
        (status("/livez").await, status("/readyz").await),
        (200, 200)
    );
    let store = api.server.infra.store.clone();
    tokio::task::spawn_blocking(move || store.close())
        .await
        .unwrap();
    assert_eq!(
        (status("/livez").await, status("/readyz").await),
        (200, 503)
    );
    assert_eq!(status("/healthz").await, 503);
}

#[tokio::test]
async fn a_server_that_drains_is_alive_and_not_ready() {
    let api = new_user().await;
    let _ = api.server.infra.shutdown.drain(PATIENCE).await;
    let status = async |path: &str| api.root(Method::GET, path).send().await.status;
    assert_eq!(
        (status("/livez").await, status("/readyz").await),
        (200, 503)
    );
}

#[tokio::test]
async fn metrics_speaks_the_text_format_of_prometheus() {
    let api = new_user().await;
    let answer = api.root(Method::GET, "/metrics").send().await;
    let content_type = answer
        .header("content-type")
        .expect("a content type")
        .to_owned();
    assert!(
        content_type.starts_with("text/plain; version=0.0.4"),
        "{content_type}"
    );
    assert!(
        answer
            .text
            .lines()
            .all(|line| line.starts_with('#') || line.split(' ').count() == 2),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn metrics_count_accepted_requests_invocations_and_committed_events() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let before = metrics(&api).await;
    source.send(&json!({ "x": 1 })).await.expect(200);
    source.events(1).await;
    let after = metrics(&api).await;
    for name in [
        "sluice_requests_accepted_total",
        "sluice_invocations_total",
        "sluice_events_total",
    ] {
        let (before, after) = (counter(&before, name), counter(&after, name));
        assert!(after >= before + 1.0, "{name}: {before} {after}");
    }
}

#[tokio::test]
async fn metrics_name_the_node_and_count_the_nodes_of_the_database() {
    let api = new_user().await;
    let metrics = metrics(&api).await;
    for line in [
        "sluice_node_info{node=\"test\",version=\"0.0.0\"} 1",
        "sluice_cluster_nodes{state=\"active\"} 1",
        "sluice_cluster_nodes{state=\"lost\"} 0",
        "sluice_cluster_lease_held 1",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{metrics}");
    }
}
