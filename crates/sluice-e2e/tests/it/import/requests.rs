//! The requests behind the commands.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Archive, Backend, Plan};

use super::upload::{IMPORTS, Upload};
use crate::support::{shared_server, unique_name};

fn code(key: &str) -> String {
    format!(
        "module.exports = {{ key: '{key}', name: 'N', version: '1.0.0', type: 'action', run() {{}} }};"
    )
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn an_import_streams_its_steps_and_the_next_one_handles_only_changes(
    #[case] backend: Backend,
) {
    let api = shared_server(backend).api();
    let tree = unique_name();
    let app = tree.to_lowercase();
    let key = format!("{app}-say");
    let path = |name: &str| format!("{app}/actions/{name}.js");
    let (a, b, c) = (path("a"), path("b"), path("c"));
    let broken = "module.exports = { name 'N' };";
    let files = [(&*a, &*code(&key)), (&*b, broken), (&*c, &*code(&key))];
    let imported = Upload::new(&tree, &files).send(&api).await;
    let begun = imported.first("begun");
    assert_eq!((&begun["total"], &begun["skipped"]), (&json!(3), &json!(0)));
    let registered = json!({ "path": a, "outcome": "registered", "key": key, "version": "1.0.0" });
    let components = imported.components();
    assert_eq!(*components[0], registered);
    assert_eq!(components[1]["reason"], "code");
    assert_eq!(components[1]["errors"][0]["line"], 1);
    assert_eq!(components[2]["reason"], "key");
    let taken = format!("{a} has the key {key} already");
    assert_eq!(components[2]["errors"], json!([{ "message": taken }]));
    assert_eq!(imported.steps.last(), Some(&json!({ "step": "finished" })));

    let again = Upload::new(&tree, &files).send(&api).await;
    assert_eq!(again.first("begun").get("import_id"), None);
    let outcomes: Vec<_> = again
        .components()
        .iter()
        .map(|one| &one["outcome"])
        .collect();
    assert_eq!(outcomes, ["unchanged", "failed", "failed"]);
    // The key is that of another file after the first one left.
    let moved = Upload::new(&tree, &files[1..]).send(&api).await;
    assert_eq!(moved.components()[1]["outcome"], "unchanged");
    assert_eq!(moved.first("removed")["files"], json!([]));
}

#[tokio::test]
async fn requests_that_make_no_sense_are_rejected() {
    let server = shared_server(Backend::Sqlite);
    let api = server.api();
    let empty = || Archive::compressed().finish();
    for (upload, message) in [
        (Upload::of("", empty()), "tree is required"),
        (Upload::of(&"t".repeat(1001), empty()), "at most 1000 bytes"),
        (Upload::of("t", empty()).with("mode=other"), "mode"),
        (Upload::of("t", empty()).with("prune=perhaps"), "prune"),
        (Upload::of("t", empty()).with("apps=none"), "no app none"),
        (Upload::of("t", Vec::new()), "the archive is empty"),
        (
            Upload::of("t", b"PK\x03\x04 a zip".to_vec()),
            "no tar archive",
        ),
    ] {
        let answer = upload.request(&api).await;
        let body = answer.expect(400);
        let error = body["error"].as_str().expect("a text");
        assert!(error.contains(message), "{message}: {error}");
    }
    let unknown = format!("{IMPORTS}/imp_unknown0000");
    api.delete(&unknown).await.expect(404);
    api.delete(&format!("{IMPORTS}/unknown")).await.expect(404);
    let other = server.user(&unique_name(), Plan::Free).await;
    Upload::of("t", empty()).request(&other).await.expect(404);
    other.get(IMPORTS).await.expect(404);
    other.delete(&unknown).await.expect(404);
}
