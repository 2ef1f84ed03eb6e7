//! Packages are fetched once, kept, and the same bytes at every start.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use sluice_testkit::wait_for;
use tokio::task::JoinSet;

use super::{Shop, emitting, outcome, rerun};
use crate::support::{Deployed, PATIENCE, deploy};

#[tokio::test]
async fn later_starts_need_no_network() {
    let mut shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    let source = deploy(&shop.api(), &emitting("require('thing')")).await;
    shop.registry.set_down(true);
    assert_eq!(rerun(&source, 1).await, "thing 1.0.0");
    shop.server.restart().await;
    assert_eq!(rerun(&source, 2).await, "thing 1.0.0");
}

#[tokio::test]
async fn packages_that_this_machine_lost_are_installed_again_as_they_were() {
    let mut shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    let source = deploy(&shop.api(), &emitting("require('thing')")).await;
    assert_eq!(rerun(&source, 1).await, "thing 1.0.0");
    shop.publish("thing", "1.0.1");
    shop.server.kill9();
    let runtime = shop.server.data_dir().join("runtime");
    for folder in ["packages", "package-cache"] {
        std::fs::remove_dir_all(runtime.join(folder)).expect("the folder exists");
    }
    shop.server.restart().await;
    assert_eq!(rerun(&source, 2).await, "thing 1.0.0");
    assert_eq!(shop.registry.downloads("thing"), 2);
}

#[tokio::test]
async fn other_bytes_under_the_same_version_are_not_run() {
    let mut shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    let source = deploy(&shop.api(), &emitting("require('thing')")).await;
    shop.server.kill9();
    let runtime = shop.server.data_dir().join("runtime");
    for folder in ["packages", "package-cache"] {
        std::fs::remove_dir_all(runtime.join(folder)).expect("the folder exists");
    }
    let evil = [("index.js", "module.exports = 'evil';")];
    shop.registry.publish("thing", "1.0.0", json!({}), &evil);
    shop.server.restart().await;
    source.run(json!({})).await;
    let server = &shop.server;
    wait_for(
        Duration::from_secs(20),
        "the refusal in the log",
        async || server.logs().contains("checksum").then_some(()),
    )
    .await;
    assert!(source.summaries().await.is_empty());

    // The request waits, and runs when the right bytes can be had.
    shop.publish("thing", "1.0.0");
    assert_eq!(source.events(1).await, ["thing 1.0.0"]);
}

#[tokio::test]
async fn a_package_is_downloaded_once_however_many_components_need_it_and_save_at_once() {
    let shop = Shop::open().await;
    shop.publish("shared", "1.0.0");
    shop.publish("other", "1.0.0");
    let mut saves = JoinSet::new();
    for number in 0..24 {
        let api = shop.api();
        // Different sets of packages make different folders; equal ones race for the same.
        let packages = if number % 2 == 0 {
            "[require('shared')]"
        } else {
            "[require('shared'), require('other')]"
        };
        let code = emitting(&format!("{packages}.concat({number})"));
        saves.spawn(async move {
            let body = json!({ "component_code": code });
            let source = api.post("/sources", &body).await.ok();
            Deployed {
                id: source["id"].as_str().expect("an id").to_owned(),
                api,
                source,
            }
        });
    }
    for source in saves.join_all().await {
        assert_eq!(rerun(&source, 1).await[0], "shared 1.0.0");
    }
    assert_eq!(shop.registry.downloads("shared"), 1);
    assert_eq!(shop.registry.downloads("other"), 1);
}

#[tokio::test]
async fn saving_shows_its_progress_in_the_log() {
    let shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    outcome(&shop.api(), &emitting("require('thing')")).await;
    let log = shop.server.logs();
    for words in [
        "resolving packages",
        "downloading package",
        "packages installed",
    ] {
        assert!(log.contains(words), "{words}");
    }
}

/// Packages of refused code are removed after a day. Packages of a component stay.
#[tokio::test]
async fn packages_that_no_component_uses_are_removed() {
    let mut shop = Shop::open().await;
    shop.publish("used", "1.0.0");
    shop.publish("unused", "1.0.0");
    let source = deploy(&shop.api(), &emitting("require('used')")).await;
    let refused = "require('unused'); module.exports = { name: 'T', version: '1' };";
    let body = json!({ "component_code": refused });
    shop.api().post("/sources", &body).await.expect(422);
    shop.server.kill9();
    let folder = shop.server.data_dir().join("runtime/packages");
    let folders = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&folder).expect("the folder exists");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    let has = |package: &str| {
        let path = Path::new("node_modules").join(package);
        folders().iter().any(|folder| folder.join(&path).exists())
    };
    assert!(has("used") && has("unused"));
    for folder in folders() {
        let folder = File::open(folder).expect("the folder opens");
        let modified = folder.metadata().and_then(|folder| folder.modified());
        let earlier = modified.expect("a time") - Duration::from_hours(48);
        folder.set_modified(earlier).expect("it can be set");
    }
    shop.server.restart().await;
    wait_for(PATIENCE, "the removal", async || {
        (!has("unused")).then_some(())
    })
    .await;
    assert!(has("used"));
    shop.registry.set_down(true);
    assert_eq!(rerun(&source, 1).await, "used 1.0.0");
}
