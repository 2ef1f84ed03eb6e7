//! A restore that is killed leaves nothing that looks complete.

use std::{fs, process::Stdio};

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Plan, Server, scratch_folder, wait_for};
use tokio::io::AsyncWriteExt;

use super::site::Site;
use crate::support::{PATIENCE, deploy, unique_name};

/// Emits a megabyte that cannot be compressed: more than a pipe holds.
const BULK: &str = r#"module.exports = {
  name: "bulk", version: "0.0.1", props: { http: "$.interface.http" },
  run() {
    for (let n = 0; n < 100; n++) {
      const bytes = Uint8Array.from({ length: 10_000 }, () => Math.random() * 256);
      this.$emit({ n, text: Buffer.from(bytes).toString("base64") });
    }
  },
};"#;

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_killed_restore_leaves_no_database_and_can_be_repeated(#[case] backend: Backend) {
    let site = Site::new(backend);
    let mut server = site.start().await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let source = deploy(&api, BULK).await;
    source.send(&json!({})).await.expect(200);
    source.events(100).await;
    server.terminate().await;
    let folder = scratch_folder();
    let file = site.backup(&folder.path().join("sluice.backup"), &[]).await;
    let whole = fs::read(&file).expect("the backup");

    // It has everything but the end, and waits for that.
    let target = Site::new(backend);
    let mut child = target.spawn(&["restore", "-"], Stdio::piped());
    let mut stdin = child.stdin.take().expect("a pipe");
    let most = &whole[..whole.len() - 20];
    stdin.write_all(most).await.expect("it reads");
    if backend == Backend::Sqlite {
        let unfinished = target.folder().join("sluice.db.restoring");
        wait_for(PATIENCE, "the restore to begin", async || {
            unfinished.exists().then_some(())
        })
        .await;
        let error = target.run(&["restore", &file]).await.error();
        assert!(error.contains("in use"), "{error}");
    }
    child.kill().await.expect("it runs");

    fs::create_dir_all(target.folder()).expect("a folder");
    fs::copy(
        site.folder().join("master.key"),
        target.folder().join("master.key"),
    )
    .expect("the key");
    if backend == Backend::Sqlite {
        let (_, log) = Server::start_refused(target.options()).await;
        assert!(log.contains("was interrupted"), "{log}");
    }
    target.run(&["restore", &file]).await.ok();
    assert!(!target.folder().join("sluice.db.restoring").exists());
    target.start().await;
}
