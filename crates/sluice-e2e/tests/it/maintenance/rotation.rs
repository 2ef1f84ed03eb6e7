//! `sluice keys rotate-master` beside a server: everything goes on, also after a restart with the new key only.

use std::fs;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Plan, Server, scratch_folder};

use super::site::Site;
use crate::support::{deploy_with, unique_name};

const CODE: &str = r#"module.exports = {
  name: "secret", version: "0.0.1", props: { key: { type: "string", secret: true } },
  run() { this.$emit({ key: this.key }); },
};"#;

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_goes_on_while_its_master_key_is_rotated(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let site = Site::new(backend);
    let mut server = site.start().await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let source = deploy_with(&api, CODE, json!({ "key": "hush" })).await;
    let key_file = site.folder().join("master.key");
    let key = || fs::read_to_string(&key_file).expect("the key");
    let old = key();
    let folder = scratch_folder();
    let before = site.backup(&folder.path().join("before.backup"), &[]).await;

    let report = site.run(&["keys", "rotate-master"]).await.ok();
    assert!(report.contains("The master key is rotated"), "{report}");
    assert_ne!(key(), old);
    // The running server keeps its data key: the API key and the secret are those of before.
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!({ "key": "hush" })]);
    let passphrase = folder.path().join("passphrase");
    fs::write(&passphrase, "correct horse").expect("a file");
    let passphrase = passphrase.to_str().expect("a path in UTF-8");
    let options = ["--with-key", "--passphrase-file", passphrase];
    let after = site
        .backup(&folder.path().join("after.backup"), &options)
        .await;

    server.kill9();
    server.restart().await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await[1], json!({ "key": "hush" }));
    server.terminate().await;
    let new = key();
    fs::write(&key_file, &old).expect("the key");
    let (_, log) = Server::start_refused(site.options()).await;
    assert!(
        log.contains("After a rotation that is the new key"),
        "{log}"
    );
    let error = site.run(&["keys", "rotate-master"]).await.error();
    assert!(error.contains("is not the one of this database"), "{error}");
    fs::write(&key_file, new).expect("the key");

    // A backup opens with the key of its time.
    let restored = Site::new(Backend::Sqlite);
    fs::create_dir_all(restored.folder()).expect("a folder");
    fs::write(restored.folder().join("master.key"), &old).expect("the key");
    restored.run(&["restore", &before]).await.ok();
    restored.start().await;
    let restored = Site::new(Backend::Sqlite);
    let args = ["restore", &after, "--passphrase-file", passphrase];
    restored.run(&args).await.ok();
    let restored_key = fs::read_to_string(restored.folder().join("master.key"));
    assert_eq!(restored_key.expect("the key"), key());
    restored.start().await;
}
