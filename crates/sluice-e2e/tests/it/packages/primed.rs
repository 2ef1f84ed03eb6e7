//! Packages that the next process is likely to need are imported ahead, and by nobody else.

use serde_json::json;
use sluice_testkit::{Api, Method, wait_for};

use super::{Shop, emitting, rerun};
use crate::support::{PATIENCE, deploy};

async fn until_warm(api: &Api, processes: usize) {
    let wanted = [
        "sluice_warm 1".to_owned(),
        format!("sluice_warm_processes {processes}"),
    ];
    wait_for(PATIENCE, "the processes that wait", async || {
        let text = api.root(Method::GET, "/metrics").send().await.text;
        wanted
            .iter()
            .all(|line| text.lines().any(|found| found == line))
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn packages_needed_twice_in_a_row_are_imported_ahead_and_only_for_those_who_need_them() {
    let shop = Shop::open().await;
    let api = shop.api();
    shop.registry.publish(
        "marker",
        "1.0.0",
        json!({}),
        &[(
            "index.js",
            "console.log('imported'); globalThis.marker = 'imported'; module.exports = 5;",
        )],
    );
    let seen = "[typeof globalThis.marker, event.plain ? 0 : require('marker')]";
    let plain = deploy(&api, &emitting("typeof globalThis.marker")).await;
    until_warm(&api, 2).await;
    let first = deploy(&api, &emitting(seen)).await;
    assert_eq!(rerun(&first, 1).await, json!(["undefined", 5]));
    until_warm(&api, 3).await;

    let second = deploy(&api, &emitting(&format!("{seen}, {{}}"))).await;
    until_warm(&api, 3).await;
    assert_eq!(rerun(&second, 1).await, json!(["string", 5]));
    until_warm(&api, 3).await;
    assert_eq!(rerun(&plain, 1).await, "undefined");
    assert!(first.log_with("imported").await["invocation_id"].is_string());
}
