//! The registration at the start of the server.

use std::time::Duration;

use serde_json::json;
use sluice_testkit::{Cluster, Server};
use tokio::time::sleep;

use super::until_registered;
use crate::support::own_server;

const SOURCES: [&str; 14] = [
    "github-webhook",
    "http",
    "inbound-mail",
    "json-poll",
    "postgresql-rows",
    "rss",
    "s3-objects",
    "schedule",
    "shopify-webhook",
    "sitemap",
    "slack-webhook",
    "standard-webhook",
    "stripe-webhook",
    "url-changed",
];
const ACTIONS: [&str; 7] = [
    "data-store",
    "filter",
    "http-request",
    "send-mail",
    "sql-query",
    "template",
    "transform",
];
const KEY: &str = "0123456789abcdef0123456789abcdef";
const REGISTERED: &str = "starter components registered";
/// A second registration would be over by then.
const A_WHILE: Duration = Duration::from_secs(3);

async fn keys(server: &Server, kind: &str) -> Vec<String> {
    let path = format!("/components?scope=registry&type={kind}&limit=100");
    let listed = server.api().get(&path).await.ok();
    let rows = listed.as_array().expect("a list").iter();
    let mut keys: Vec<String> = rows
        .map(|row| row["key"].as_str().expect("a key").to_owned())
        .collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn all_components_are_registered_once_and_belong_to_no_user() {
    let mut server = Server::start(own_server().with_starter()).await;
    until_registered(&server.api(), "http").await;
    assert_eq!(keys(&server, "source").await, SOURCES);
    assert_eq!(keys(&server, "action").await, ACTIONS);
    let path = "/components/search?query=webhook&app=github";
    let found = server.api().get(path).await;
    assert_eq!(found.body["sources"], json!(["github-webhook"]));
    let own = server.api().get("/components").await.ok();
    assert_eq!(own, json!([]), "{own}");
    // A second start finds them registered.
    server.restart().await;
    sleep(A_WHILE).await;
    assert_eq!(server.logs().matches(REGISTERED).count(), 1);
    assert_eq!(keys(&server, "source").await, SOURCES);
}

#[tokio::test]
async fn an_unpublished_component_stays_away() {
    let mut server = Server::start(own_server().with_starter()).await;
    until_registered(&server.api(), "http").await;
    let path = "/components/registry/rss";
    server.api().delete(path).await.expect(204);
    server.restart().await;
    sleep(A_WHILE).await;
    server.api().get(path).await.expect(404);
    server.api().get("/components/registry/http").await.ok();
}

#[tokio::test]
async fn the_operator_can_switch_it_off() {
    let server = Server::start(own_server().with_starter().arg("--no-starter")).await;
    sleep(A_WHILE).await;
    assert_eq!(keys(&server, "source").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_key_of_the_operator_stays_theirs() {
    let folder = sluice_testkit::scratch_folder();
    let options = || own_server().data_dir(folder.path()).api_key(KEY);
    let mut server = Server::start(options()).await;
    let code =
        "export default { key: 'github-webhook', name: 'Mine', version: '1.0.0', run() {} };";
    let body = json!({ "component_code": code });
    server.api().post("/components/registry", &body).await.ok();
    server.terminate().await;
    let server = Server::start(options().with_starter()).await;
    until_registered(&server.api(), "http").await;
    let mine = server
        .api()
        .get("/components/registry/github-webhook")
        .await;
    assert_eq!(mine.ok()["name"], "Mine");
}

#[tokio::test]
async fn a_key_that_a_user_published_hides_that_of_the_set() {
    let api = super::user().await;
    let code = "export default { key: 'http', name: 'Mine', version: '0.0.1', run() {} };";
    let body = json!({ "component_code": code });
    api.post("/components/published", &body).await.ok();
    let source = api.post("/sources", &json!({ "key": "http" })).await.ok();
    assert_eq!(source["name"], "mine");
}

#[tokio::test]
async fn one_of_several_nodes_registers_the_set_on_postgres() {
    let cluster = Cluster::start(3, own_server().with_starter()).await;
    for api in cluster.apis() {
        until_registered(&api, "http").await;
    }
    sleep(A_WHILE).await;
    let logs: String = cluster.nodes().iter().map(|node| node.logs()).collect();
    assert_eq!(logs.matches(REGISTERED).count(), 1, "{logs}");
}
