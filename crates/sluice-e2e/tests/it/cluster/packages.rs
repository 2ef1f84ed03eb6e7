//! npm packages on all nodes: installed ahead of need, and in the database for when the registry is down.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::json;
use sluice_testkit::{Cluster, Node, Postgres, Registry, Server, wait_for};

use super::{observer::Observer, stage::Stage};
use crate::support::{PATIENCE, deploy, own_server};

const CODE: &str = r#"const thing = require("thing");
module.exports = {
  name: "packed", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(`${thing} ${event.body.n}`); },
};"#;

/// A registry with one package.
fn registry() -> Registry {
    let registry = Registry::start();
    let files = [
        ("index.js", "module.exports = require('./lib/name');"),
        ("lib/name.js", "module.exports = 'thing';"),
        ("cli.js", "#!/usr/bin/env node"),
    ];
    let fields = json!({ "bin": { "thing": "cli.js" } });
    registry.publish("thing", "1.0.0", fields, &files);
    registry
}

async fn two_nodes() -> (Stage, Registry) {
    let registry = registry();
    let cluster = Cluster::start(2, own_server().registry(&registry)).await;
    (Stage::of(cluster).await, registry)
}

/// The folders of installed packages.
fn installed(node: &Node) -> Vec<PathBuf> {
    let packages = node.data_dir().join("runtime/packages");
    let entries = fs::read_dir(packages).expect("the folder exists");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let has_package = |folder: &PathBuf| folder.join("node_modules/thing/index.js").exists();
    folders.filter(has_package).collect()
}

/// The files of the package on a node.
fn package(node: &Node) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    contents(&installed(node)[0].join("node_modules/.deno/thing@1.0.0"))
}

/// The entries of a folder with their permissions and their contents. That of a link is its target.
fn contents(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = fs::symlink_metadata(&path).expect("it exists");
        let content = if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("it can be listed");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
            Vec::new()
        } else if metadata.is_symlink() {
            let target = fs::read_link(&path).expect("a target");
            target.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).expect("it can be read")
        };
        let inside = path.strip_prefix(folder).expect("it is inside").to_owned();
        found.insert(inside, (metadata.permissions().mode(), content));
    }
    found
}

async fn installs(node: &Node) {
    wait_for(PATIENCE, "the packages to be installed", async || {
        (!installed(node).is_empty()).then_some(())
    })
    .await;
}

/// Waits until the packages are in the database.
async fn stored(stage: &Stage) {
    wait_for(PATIENCE, "the packages to be stored", async || {
        let rows = stage.observer.rows("SELECT 1 FROM package_archives").await;
        (!rows.is_empty()).then_some(())
    })
    .await;
}

/// Removes the packages of a node and what it has downloaded.
fn lose_packages(node: &Node) {
    for folder in installed(node) {
        fs::remove_dir_all(folder).expect("it can be removed");
    }
    let downloads = node.data_dir().join("runtime/package-cache/npm");
    fs::remove_dir_all(&downloads).expect("it can be removed");
    fs::create_dir(&downloads).expect("it can be made");
}

#[tokio::test]
async fn a_source_with_packages_is_taken_over_while_the_registry_is_down() {
    let (mut stage, registry) = two_nodes().await;
    let source = deploy(&stage.node(0).api(), CODE).await;
    for node in stage.cluster.nodes() {
        installs(node).await;
    }
    assert_eq!(registry.downloads("thing"), 2);
    stored(&stage).await;
    stage.send(0, &source, &json!({ "n": 1 })).await.expect(200);
    assert_eq!(source.events(1).await, ["thing 1"]);

    let owner = stage.owner(&source).await;
    let other = 1 - owner;
    registry.set_down(true);
    let before = package(stage.node(other));
    lose_packages(stage.node(other));
    stage.node_mut(owner).kill9();
    let sent = stage.send(other, &source, &json!({ "n": 2 })).await;
    sent.expect(200);
    let source = stage.on(other, &source);
    assert_eq!(source.events(2).await, ["thing 1", "thing 2"]);
    let node = stage.node(other);
    assert_eq!(package(node), before);
    let command = installed(node)[0].join("node_modules/.bin/thing");
    assert!(command.is_symlink() && command.exists());
    assert!(node.logs().contains("stored packages unpacked"));
}

#[tokio::test]
async fn a_node_that_was_down_installs_packages_when_it_is_back() {
    let (mut stage, registry) = two_nodes().await;
    stage.node_mut(1).kill9();
    deploy(&stage.node(0).api(), CODE).await;
    stored(&stage).await;
    stage.node_mut(1).restart().await;
    installs(stage.node(1)).await;
    assert_eq!(registry.downloads("thing"), 2);
}

/// Those of active sources stay. A server that is alone stores none itself.
#[tokio::test]
async fn stored_packages_that_nothing_uses_are_removed() {
    let (url, registry) = (Postgres::database(), registry());
    let mut server = Server::start(own_server().postgres(&url).registry(&registry)).await;
    deploy(&server.api(), CODE).await;
    let observer = Observer::new(&url);
    let archives = "SELECT packages_hash FROM package_archives";
    assert!(observer.rows(archives).await.is_empty());

    let used = observer.rows("SELECT packages_hash FROM components").await;
    let sql = format!(
        "INSERT INTO package_archives (packages_hash, bytes, checksum, created_at) \
         VALUES ('{}', 0, '', 0), ('unused', 0, '', 0)",
        used[0][0]
    );
    observer.rows(&sql).await;
    server.restart().await;
    wait_for(PATIENCE, "the removal", async || {
        (observer.rows(archives).await == used).then_some(())
    })
    .await;
}
