//! Names and paths that try to leave the folder.

use serde_json::json;

use super::fake::{Import, component, fake, list, source};

#[tokio::test]
async fn hostile_and_equal_names_get_plain_unique_files() {
    let names = [
        "../../etc/passwd",
        "a/b",
        "Same",
        "Same",
        "日本語",
        "..",
        "x\n# y\u{1b}[31m",
        "-rf",
        "",
    ];
    let rows = names.iter().enumerate();
    let rows: Vec<_> = rows
        .map(|(index, name)| source(&format!("dc_{index}"), name, "sc_1", &json!({})))
        .collect();
    let api = fake(vec![
        ("/users/me/sources", list(&json!(rows))),
        ("/components/sc_1", component("../../own")),
    ]);
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    assert_eq!(folder.sources.len(), names.len());
    for expected in [
        "etc-passwd",
        "a-b",
        "same",
        "same-1",
        "source",
        "source-1",
        "rf",
        "dc-8",
    ] {
        assert!(
            folder.sources.contains_key(expected),
            "{expected}: {:?}",
            folder.sources.keys()
        );
    }
    assert_eq!(folder.components.keys().collect::<Vec<_>>(), ["own"]);
    assert!(
        import
            .files()
            .keys()
            .all(|path| path.starts_with(import.path("moved")))
    );
    assert!(!import.report().contains('\u{1b}'));
}

#[tokio::test]
async fn steps_cannot_read_files_outside_of_their_folder() {
    let import = Import::new();
    import.put("synced/secret.js", "the secret");
    import.put(
        "synced/flow/workflow.yaml",
        "name: Thief\nsteps:\n- namespace: a\n  uses: \"./../secret.js\"\n- namespace: b\n  uses: \"./link.js\"\n- namespace: c\n  uses: .//etc/passwd.js\n",
    );
    std::os::unix::fs::symlink(
        import.path("synced/secret.js"),
        import.path("synced/flow/link.js"),
    )
    .unwrap();
    let folder = import.run(None).await;
    assert!(!folder.workflows["thief"].active);
    assert!(folder.workflows["thief"].files.is_empty());
    let all: String = import.files().into_values().collect();
    assert!(!all.contains("the secret"));
    let report = import.report();
    assert!(report.contains("the path leaves the folder"), "{report}");
    assert!(report.contains("a link out of the folder"), "{report}");
}
