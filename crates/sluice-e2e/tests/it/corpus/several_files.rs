//! Whole components of several files, as people write them, by their address and as a bundle.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Method, Registry, Server, wait_for};

use super::{
    acme_api::{AcmeApi, signature},
    stage::{Stage, Way, deployed, files_below, options, tree},
};
use crate::support::{Deployed, PATIENCE};

const MODULE: &str = "acme/sources/new-order/new-order.mjs";
const COMMON_JS: &str = "bolt/sources/new-order/new-order.js";
const TYPESCRIPT: &str = "crane/sources/new-order/new-order.ts";

#[rstest]
#[tokio::test]
async fn a_polling_source_pages_through_an_api_and_emits_each_order_once(
    #[values(MODULE, COMMON_JS, TYPESCRIPT)] path: &str,
    #[values(Way::Url, Way::Files)] way: Way,
) {
    let stage = Stage::enter().await;
    let acme = AcmeApi::shared();
    for day in 1..=5 {
        acme.order(&stage.key, "c1", &format!("2026-01-0{day}T00:00:00Z"));
    }
    let source = stage.deploy(way, path, json!({})).await;
    // The newest comes from the deploy hook, the others from the run at activation.
    let ids = ids(&source.events(5).await);
    assert_eq!(ids, [5, 1, 2, 3, 4]);
    let newest = source.summaries().await.remove(0);
    assert_eq!(newest["metadata"]["summary"], "New order 4");
    assert_eq!(
        source.source["configured_props"]["timer"]["interval_seconds"],
        900
    );
    acme.order(&stage.key, "c2", "2026-01-06T00:00:00Z");
    source.run(json!({})).await;
    assert_eq!(source.events(6).await[5]["id"], 6);
}

fn ids(events: &[Value]) -> Vec<u64> {
    let ids = events.iter().map(|event| event["id"].as_u64());
    ids.map(|id| id.expect("an id")).collect()
}

#[rstest]
#[tokio::test]
async fn a_webhook_source_registers_itself_checks_signatures_and_unregisters(
    #[values(
        "acme/sources/new-order-instant/new-order-instant.mjs",
        "bolt/sources/new-order-instant/new-order-instant.js"
    )]
    path: &str,
    #[values(Way::Url, Way::Files)] way: Way,
) {
    let stage = Stage::enter().await;
    let acme = AcmeApi::shared();
    let source = stage.deploy(way, path, json!({})).await;
    let hook = json!({ "url": source.endpoint(), "topics": ["order.created"] });
    assert_eq!(acme.webhooks(&stage.key), [hook]);

    // Neither the spacing nor the letters survive being parsed and written again.
    let body = "{ \"id\": 7,  \"created_at\": \"2026-01-01T00:00:00Z\", \"note\": \"\\u00e4\" }";
    assert_eq!(call(&source, body, "forged").await.0, 401);
    let thanks = (200, "thanks".to_owned());
    assert_eq!(call(&source, body, &signature(body)).await, thanks);
    assert_eq!(call(&source, body, &signature(body)).await, thanks);
    assert_eq!(
        source.events(1).await,
        [json!({ "id": 7, "created_at": "2026-01-01T00:00:00Z", "note": "ä" })]
    );

    let off = json!({ "active": false });
    source.api.put(&source.path(""), &off).await.ok();
    assert_eq!(acme.webhooks(&stage.key), [json!(null); 0]);
    source
        .api
        .put(&source.path(""), &json!({ "active": true }))
        .await
        .ok();
    assert_eq!(acme.webhooks(&stage.key).len(), 1);
    source.api.delete(&source.path("")).await.expect(204);
    wait_for(PATIENCE, "the webhook to go", async || {
        acme.webhooks(&stage.key).is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn row_files_of_another_app_are_found_in_its_folder_or_else_on_npm() {
    let registry = Registry::installed();
    publish_app(registry, "acme");
    let server = Server::start(options().registry(registry)).await;
    let stage = Stage::on(&server).await;
    AcmeApi::shared().order(&stage.key, "c1", "2026-01-01T00:00:00Z");
    for way in [Way::Files, Way::Url] {
        let path = "bolt/sources/order-bolted/order-bolted.mjs";
        let source = stage.deploy_for("acme", way, path, json!({})).await;
        assert_eq!(source.events(1).await[0]["id"], 1, "{way:?}");
        let summary = source.summaries().await.remove(0)["metadata"]["summary"].clone();
        assert_eq!(summary, "acme order 1", "{way:?}");
    }
}

/// Publishes the folder of an app as the package that it is.
fn publish_app(registry: &Registry, app: &str) {
    let mut files = files_below(&tree().join(app));
    let manifest = files.remove("package.json").expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let text = |field: &str| manifest[field].as_str().expect("a text").to_owned();
    let (name, version) = (text("name"), text("version"));
    registry.publish(&name, &version, manifest, &files);
}

#[rstest]
#[tokio::test]
async fn the_code_and_the_files_in_the_answer_can_be_sent_back(
    #[values(MODULE, COMMON_JS, TYPESCRIPT)] path: &str,
) {
    let stage = Stage::enter().await;
    AcmeApi::shared().order(&stage.key, "c1", "2026-01-01T00:00:00Z");
    let saved = stage.save(Way::Url, path).await;
    let app = path.split('/').next().expect("an app");
    let body = json!({
        "component_code": saved["code"],
        "component_files": saved["files"],
        "configured_props": stage.props(app, json!({})),
    });
    let source = deployed(&stage.api, stage.api.post("/sources", &body).await);
    assert_eq!(ids(&source.events(1).await), [1]);
    let read = stage
        .api
        .get(&format!(
            "/components/{}",
            source.source["component_id"].as_str().expect("an id")
        ))
        .await
        .ok();
    for field in [
        "code",
        "files",
        "code_hash",
        "configurable_props",
        "name",
        "version",
    ] {
        assert_eq!(read[field], saved[field], "{field}");
    }
}

/// Calls a source as Acme does; gives status and text of the answer.
async fn call(source: &Deployed, body: &str, signature: &str) -> (u16, String) {
    let request = source
        .api
        .absolute(Method::POST, source.endpoint())
        .header("content-type", "application/json")
        .header("X-Acme-Signature", signature)
        .body(body.to_owned());
    let answer = request.send().await;
    (answer.status, answer.text)
}
