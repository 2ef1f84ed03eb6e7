//! What a second import does with a tree in which something has changed.

use std::fs;

use serde_json::json;

use super::Stage;

const ACTION: &str = "service_000/actions/delete-item/delete-item.ts";

#[tokio::test]
async fn a_changed_file_imports_just_the_components_that_are_made_of_it() {
    let stage = Stage::with_apps(3).await;
    assert_eq!(stage.import(&[]).await.counts(), [30, 0, 0, 0]);
    let app = stage.root().join("service_001/service_001.app.mjs");
    let text = fs::read_to_string(&app).expect("a file");
    let text = text.replace("The item to work with", "Which item it is");
    fs::write(&app, text).expect("it can be written");

    let again = stage.import(&[]).await;
    // One of its own imports nothing of it, and one of another app does.
    let mut expected: Vec<&str> = stage
        .tree
        .paths(None)
        .into_iter()
        .filter(|path| path.starts_with("service_001/") && !path.contains("item-deleted"))
        .collect();
    expected.push("service_000/actions/copy-item/copy-item.mjs");
    expected.sort_unstable();
    assert_eq!(again.with_outcome("updated"), expected);
    assert_eq!(again.counts(), [0, 10, 20, 0]);
    let copying = stage
        .api()
        .get("/components/registry/service_000-copy-item")
        .await
        .ok();
    assert_eq!(copying["version"], "0.7.1");
    assert_eq!(
        copying["configurable_props"][2]["description"],
        "Which item it is"
    );
}

#[tokio::test]
async fn a_broken_component_is_mended_by_the_file_that_was_missing() {
    let stage = Stage::with_apps(1).await;
    let path = stage.root().join(ACTION);
    let text = fs::read_to_string(&path).expect("a file");
    let text = format!("import more from \"../../common/more\";\nconsole.log(more);\n{text}");
    fs::write(&path, text).expect("it can be written");
    let broken = stage.import(&[]).await;
    assert_eq!(broken.with_outcome("failed"), [ACTION]);
    assert_eq!(
        broken.components()[ACTION]["errors"],
        json!([{ "message": "`../../common/more` names no file", "line": 1, "column": 18 }])
    );

    stage
        .tree
        .put("service_000/common/more.mjs", "export default 1;");
    let mended = stage.import(&[]).await;
    assert_eq!(mended.with_outcome("registered"), [ACTION]);
    assert_eq!(mended.counts(), [1, 0, 9, 0]);

    // What was registered stays when the code breaks, and is told as broken.
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("{text}\nthrow 1;")).expect("it can be written");
    let broken = stage.import(&[]).await;
    assert_eq!(broken.counts(), [0, 0, 9, 1]);
    let kept = "/components/registry/service_000-delete-item";
    stage.api().get(kept).await.ok();
}

#[tokio::test]
async fn a_new_version_is_the_newest() {
    let stage = Stage::with_apps(1).await;
    stage.import(&[]).await;
    let path = stage.root().join(ACTION);
    let text = fs::read_to_string(&path).expect("a file");
    let text = text.replace("0.9.1", "0.10.0");
    fs::write(&path, text).expect("it can be written");
    let again = stage.import(&[]).await;
    assert_eq!(again.with_outcome("updated"), [ACTION]);
    let newest = "/components/registry/service_000-delete-item";
    assert_eq!(stage.api().get(newest).await.ok()["version"], "0.10.0");
}

#[tokio::test]
async fn what_left_the_tree_is_told_and_goes_when_it_is_pruned() {
    let stage = Stage::with_apps(1).await;
    stage.import(&[]).await;
    fs::remove_file(stage.root().join(ACTION)).expect("it is there");
    let key = "service_000-delete-item";
    let registered = format!("/components/registry/{key}");

    let told = stage.import(&[]).await;
    assert_eq!(told.counts(), [0, 0, 9, 0]);
    assert_eq!(
        told.0["left"],
        json!([{ "path": ACTION, "key": key, "pruned": false }])
    );
    stage.api().get(&registered).await.ok();
    let shown = stage.run(&[]).await.out;
    assert!(
        shown.contains("remove it from the registry with --prune"),
        "{shown}"
    );

    let pruned = stage.import(&["--prune"]).await;
    assert_eq!(
        pruned.0["left"],
        json!([{ "path": ACTION, "key": key, "pruned": true }])
    );
    stage.api().get(&registered).await.expect(404);
    assert_eq!(stage.import(&[]).await.0["left"], json!([]));
}

#[tokio::test]
async fn a_component_that_moved_keeps_its_key() {
    let stage = Stage::with_apps(1).await;
    stage.import(&[]).await;
    let moved = "service_000/actions/remove-item/delete-item.ts";
    let text = fs::read_to_string(stage.root().join(ACTION)).expect("a file");
    fs::remove_file(stage.root().join(ACTION)).expect("it is there");
    stage.tree.put(moved, &text);
    let again = stage.import(&["--prune"]).await;
    assert_eq!(again.0["left"], json!([]));
    assert_eq!(again.0["broken"], 0);
    let component = again.components()[moved];
    assert_eq!(component["key"], "service_000-delete-item");
    assert_eq!(stage.import(&[]).await.counts(), [0, 0, 10, 0]);
}
