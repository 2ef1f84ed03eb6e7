//! Imports of archives.

use std::{fs, process::Command};

use serde_json::json;
use sluice_testkit::Archive;

use super::{Stage, upload::Upload};

const CODE: &str =
    "export default { key: 'acme-say', name: 'Say', version: '0.0.1', type: 'action', run() {} };";

#[tokio::test]
async fn a_tarball_of_a_checkout_is_imported() {
    let stage = Stage::with_apps(2).await;
    let folder = sluice_testkit::scratch_folder();
    let packed = folder.path().join("checkout.tar.gz");
    let tar = Command::new("tar")
        .arg("-czf")
        .arg(&packed)
        .arg("-C")
        .arg(stage.root().parent().expect("a folder around it"))
        .arg(stage.root().file_name().expect("a name"))
        .status();
    assert!(tar.expect("tar starts").success());
    let ran = stage
        .run_at(&packed, stage.server.api_key(), &["--app", "service_001"])
        .await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.out.contains("registered 10,"), "{ran:#?}");
    let ran = stage.run_at(&packed, stage.server.api_key(), &[]).await;
    assert!(
        ran.out.contains("registered 10, updated 0, unchanged 10,"),
        "{ran:#?}"
    );
}

#[tokio::test]
async fn entries_of_hostile_archives_stay_in_the_folder_of_the_import() {
    let stage = Stage::with_apps(0).await;
    let api = stage.api();
    let outside = "../../acme/actions/say.mjs";
    for path in [outside, "/acme/actions/say.mjs"] {
        let archive = Archive::compressed().file_anywhere(path, CODE.as_bytes());
        let answer = Upload::of("t", archive.finish()).request(&api).await;
        let error = answer.expect(400)["error"].to_string();
        assert!(error.contains("leaves the folder"), "{error}");
    }
    // Links are not unpacked, so nothing is written or read through them.
    let archive = Archive::compressed()
        .link("acme", "/etc")
        .link("bolt/actions/passwd.mjs", "/etc/passwd")
        .file("acme/actions/say.mjs", CODE.as_bytes());
    let imported = Upload::of("t", archive.finish()).send(&api).await;
    let paths: Vec<_> = imported
        .components()
        .iter()
        .map(|one| &one["path"])
        .collect();
    assert_eq!(paths, ["acme/actions/say.mjs"]);
    assert!(!fs::exists("/etc/actions").expect("it can be looked for"));
}

#[tokio::test]
async fn archives_that_unpack_to_too_much_are_rejected() {
    let stage = Stage::with_apps(0).await;
    let api = stage.api();
    let large = Archive::compressed().zeros("acme/actions/a.mjs", 17 << 20);
    let answer = Upload::of("t", large.finish()).request(&api).await;
    let error = answer.expect(400)["error"].to_string();
    assert!(error.contains("16 MiB"), "{error}");
    let broken = Archive::compressed().file("acme/actions/say.mjs", CODE.as_bytes());
    let mut broken = broken.finish();
    broken.truncate(broken.len() - 20);
    let answer = Upload::of("t", broken).request(&api).await;
    answer.expect(400);
    let imports = api.get("/components/registry/imports").await.ok();
    assert_eq!(imports, json!([]));
}
