//! The folder that is written: nothing is overwritten, and a second import gives the same.

use std::fs;

use serde_json::json;

use super::{
    super::import,
    fake::{Import, component, fake, list, source},
};

#[tokio::test]
async fn a_second_import_with_force_gives_the_same_files() {
    let api = fake(vec![
        (
            "/users/me/sources",
            list(&json!([source("dc_1", "One", "sc_1", &json!({ "a": 1 }))])),
        ),
        ("/components/sc_1", component("My own")),
    ]);
    let again = Import::new();
    again.run(Some(&api)).await;
    let before = again.files();
    let error = again.error(again.options(Some(&api))).await;
    assert!(error.contains("use --force"), "{error}");
    let mut options = again.options(Some(&api));
    options.force = true;
    import(options).await.unwrap();
    assert_eq!(again.files(), before);
    let beside = fs::read_dir(again.path("")).unwrap().count();
    assert_eq!(beside, 1, "no hidden folder is left");
}

#[tokio::test]
async fn other_files_are_never_replaced() {
    let api = fake(vec![]);
    let foreign = Import::new();
    foreign.put("moved/mine.txt", "mine");
    let mut options = foreign.options(Some(&api));
    options.force = true;
    let error = foreign.error(options).await;
    assert!(error.contains("is not empty"), "{error}");
    assert_eq!(foreign.text("moved/mine.txt"), "mine");

    let mixed = Import::new();
    mixed.run(Some(&api)).await;
    mixed.put("moved/secrets.yaml", "A: b");
    let mut options = mixed.options(Some(&api));
    options.force = true;
    let error = mixed.error(options).await;
    assert!(error.contains("such as secrets.yaml"), "{error}");

    let file = Import::new();
    file.put("moved", "a file");
    let error = file.error(file.options(Some(&api))).await;
    assert!(error.contains("is not a folder"), "{error}");
}

#[tokio::test]
async fn an_empty_folder_is_used_and_the_rest_of_a_killed_import_is_removed() {
    let api = fake(vec![]);
    let import = Import::new();
    fs::create_dir(import.path("moved")).unwrap();
    import.put(".moved.sluice-import-partial/sources/half.yaml", "name: ");
    let folder = import.run(Some(&api)).await;
    assert!(folder.sources.is_empty());
    assert!(!import.path(".moved.sluice-import-partial").exists());
}

#[tokio::test]
async fn a_failed_import_leaves_the_earlier_folder() {
    let api = fake(vec![]);
    let kept = Import::new();
    kept.run(Some(&api)).await;
    let before = kept.files();
    let mut options = kept.options(Some(&api));
    options.force = true;
    options.api_key = Some("wrong".to_owned());
    kept.error(options).await;
    assert_eq!(kept.files(), before);
}
