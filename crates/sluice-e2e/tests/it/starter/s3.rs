//! `s3-objects` against a real S3-compatible server. It checks access keys, and the tests of the component check signatures.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{deploy_key, failure, poll, rarely, user};
use crate::workflows::sends::node_server::NodeServer;

fn props(server: &NodeServer, key: &str) -> Value {
    json!({
        "bucket": "some-bucket", "endpoint": server.address, "pathStyle": true, "prefix": "a b/",
        "accessKeyId": key, "secretAccessKey": "S3RVER", "timer": rarely(),
    })
}

fn server() -> (NodeServer, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = NodeServer::start("s3_server.mjs", &[folder.path().as_os_str()]);
    (server, folder)
}

/// Puts an object into the folder of the server, as the server does.
fn put(folder: &Path, key: &str, text: &str) {
    let file = |suffix: &str| folder.join(format!("some-bucket/{key}._S3rver_{suffix}"));
    let object = file("object");
    fs::create_dir_all(object.parent().expect("a folder")).expect("a folder");
    fs::write(file("metadata.json"), "{}").expect("a file");
    fs::write(object, text).expect("a file");
}

#[tokio::test]
async fn new_objects_of_a_bucket_are_emitted() {
    let (server, folder) = server();
    put(folder.path(), "a b/one.txt", "1");
    put(folder.path(), "other/two.txt", "22");
    let source = deploy_key(&user().await, "s3-objects", props(&server, "S3RVER")).await;
    poll(&source).await;
    put(folder.path(), "a b/three+.txt", "333");
    poll(&source).await;
    poll(&source).await;
    let events = source.events(2).await;
    let seen: Vec<_> = events
        .iter()
        .map(|event| (event["key"].as_str(), event["size"].as_u64()))
        .collect();
    assert_eq!(
        seen,
        [
            (Some("a b/one.txt"), Some(1)),
            (Some("a b/three+.txt"), Some(3))
        ]
    );
}

#[tokio::test]
async fn a_wrong_key_is_an_error_of_the_service() {
    let (server, _folder) = server();
    let source = deploy_key(&user().await, "s3-objects", props(&server, "wrong")).await;
    let error = failure(&source).await;
    assert!(error.contains("InvalidAccessKeyId"), "{error}");
}
