//! The delivery journal is part of a backup: a delivery that succeeded is not repeated after a restore.

use std::{fs, time::Duration};

use serde_json::json;
use sluice_testkit::{
    Api, Backend, OwnPostgres, Plan, Server, ServerOptions,
    receiver::{Answer, Receiver},
    scratch_folder, wait_for,
    webhook::{Webhook, attempts},
};

use super::site::Site;
use crate::support::{PATIENCE, deploy, unique_name};

const SOURCE: &str = r#"module.exports = {
  name: "source", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body); },
};"#;

fn options(site: &Site) -> ServerOptions {
    site.options()
        .arg("--allow-private-network")
        .arg("--webhook-retries")
        .arg("100ms")
}

#[tokio::test]
async fn a_success_that_only_the_journal_has_is_in_a_backup() {
    let database = OwnPostgres::start();
    // The answer comes when the database is gone.
    let receiver = Receiver::start(|_| Answer::status(200).after(Duration::from_secs(2)));
    let site = Site::on(database.url());
    let mut server = Server::start(options(&site)).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let source = deploy(&api, SOURCE).await;
    let body = json!({ "url": receiver.url("/") });
    let webhook = Webhook::create(&api, &source.id, &body, "").await;
    source.send(&json!(1)).await.expect(200);
    receiver.wait_for(1).await;
    database.stop().await;
    wait_for(PATIENCE, "a record to fail", async || {
        let has_failed = server.logs().contains("attempts not recorded; retrying");
        has_failed.then_some(())
    })
    .await;
    server.kill9();
    database.start_again().await;

    let folder = scratch_folder();
    let file = site.backup(&folder.path().join("a.backup"), &[]).await;
    let restored = Site::new(Backend::Sqlite);
    fs::create_dir_all(restored.folder()).expect("a folder");
    let key = |site: &Site| site.folder().join("master.key");
    fs::copy(key(&site), key(&restored)).expect("the key");
    restored.run(&["restore", &file]).await.ok();
    let server = Server::start(options(&restored)).await;
    let webhook = Webhook {
        api: Api::new(server.url(), api.key()),
        ..webhook
    };
    let rows = webhook.wait_for(&["delivered"]).await;
    assert_eq!(attempts(&rows[0], "status"), [200]);
    assert_eq!(receiver.count(), 1, "the first server delivered it");
}
