//! What the command takes, and how it ends.

use std::fs;

use sluice_testkit::Plan;

use super::Stage;

#[tokio::test]
async fn parts_of_a_tree_can_be_imported_by_themselves() {
    let stage = Stage::with_apps(3).await;
    let one = stage.import(&["--app", "service_001"]).await;
    assert_eq!(one.counts(), [10, 0, 0, 0]);
    let key = stage.server.api_key();
    let app = stage.root().join("service_002");
    let ran = stage.run_at(&app, key, &[]).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.out.contains("registered 10,"), "{ran:#?}");
    // The parts and the whole are one tree.
    assert_eq!(stage.import(&[]).await.counts(), [10, 0, 20, 0]);
    let missing = stage.run(&["--app", "service_009"]).await;
    assert_eq!(missing.code, 5, "{missing:#?}");
}

#[tokio::test]
async fn a_folder_above_the_components_will_do() {
    let stage = Stage::with_apps(0).await;
    let text =
        "module.exports = { key: 'a-b', name: 'B', version: '1.0.0', type: 'action', run() {} };";
    stage.tree.put("components/a/actions/b/b.js", text);
    stage.tree.put("package.json", "{}");
    let report = stage.import(&[]).await;
    assert_eq!(report.with_outcome("registered"), ["a/actions/b/b.js"]);
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let stage = Stage::with_apps(1).await;
    let ran = stage.run(&["--dry-run"]).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.out.contains("would register 10,"), "{ran:#?}");
    let found = "/components/registry/service_000-new-item";
    stage.api().get(found).await.expect(404);
    assert_eq!(stage.import(&[]).await.counts(), [10, 0, 0, 0]);
}

#[tokio::test]
async fn progress_is_lines_in_a_pipe_and_nothing_with_json() {
    let stage = Stage::with_apps(1).await;
    let ran = stage.run(&[]).await;
    assert_eq!(ran.err, "10 of 10 components\n");
    assert!(!ran.out.contains('\u{1b}'), "{ran:#?}");
    let ran = stage.run(&["--json"]).await;
    assert_eq!(ran.err, "");
}

#[tokio::test]
async fn it_says_what_is_wrong_when_nothing_can_be_done() {
    let stage = Stage::with_apps(0).await;
    let empty = stage.run(&[]).await;
    assert_eq!(empty.code, 1, "{empty:#?}");
    assert!(empty.err.contains("No components found"), "{empty:#?}");
    let key = stage.server.api_key();
    let nowhere = stage.root().join("nowhere");
    assert_eq!(stage.run_at(&nowhere, key, &[]).await.code, 5);
    let file = stage.root().join("file");
    fs::write(&file, "").expect("a file");
    let ran = stage.run_at(&file, key, &[]).await;
    assert_eq!(ran.code, 1, "{ran:#?}");
    // For whoever is not the operator there is no such thing.
    let other = stage.server.user("somebody", Plan::Free).await;
    let ran = stage.run_at(stage.root(), other.key(), &[]).await;
    assert_eq!(ran.code, 5, "{ran:#?}");
    assert_eq!(stage.run_at(stage.root(), "wrong", &[]).await.code, 4);
}
