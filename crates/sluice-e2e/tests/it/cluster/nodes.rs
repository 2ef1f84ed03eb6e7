//! The list of servers, for the operator.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Plan, Server, wait_for};

use crate::support::{PATIENCE, own_server};

#[rstest]
#[tokio::test]
async fn the_operator_sees_the_servers_of_the_database(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let options = own_server().on(backend).arg("--node-name=north");
    let mut server = Server::start(options).await;
    let listed = server.api().get("/cluster").await.ok();
    let node = &listed[0];
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(node["name"], "north");
    assert_eq!(node["state"], "active");
    assert_eq!(node["current"], json!(true));
    assert_eq!(node["public_url"], json!(server.url()));
    let is_shared = backend == Backend::Postgres;
    assert_eq!(node["address"].is_string(), is_shared, "{listed}");
    assert_eq!(node["lease_left_ms"].is_i64(), is_shared, "{listed}");

    let user = server.user("other", Plan::Free).await;
    user.get("/cluster").await.expect(404);

    // A server that was killed and its successor.
    server.restart().await;
    let first = node["incarnation"].clone();
    let listed = wait_for(PATIENCE, "the new server", async || {
        let listed = server.api().get("/cluster").await.ok();
        let nodes = listed.as_array()?.clone();
        let current = nodes.iter().find(|node| node["current"] == json!(true))?;
        (current["incarnation"] != first).then_some(nodes)
    })
    .await;
    let active = listed.iter().filter(|node| node["state"] == "active");
    assert_eq!(active.count(), 1, "{listed:?}");
}
