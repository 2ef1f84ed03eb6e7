//! `sluice deploy` with keys of the set.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;
use sluice_testkit::{Api, sluice_binary};
use tokio::process::Command;

use super::{server, user};

struct Ran {
    code: i32,
    out: String,
    err: String,
}

async fn deploy(api: &Api, folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(sluice_binary())
        .arg("deploy")
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("SLUICE_URL", server().url())
        .env("SLUICE_API_KEY", api.key())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code().expect("it was not killed"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

#[tokio::test]
async fn a_key_of_the_set_is_deployed() {
    let (api, folder) = (user().await, tempfile::tempdir().expect("a folder"));
    let ran = deploy(
        &api,
        folder.path(),
        &["http", "--name", "My endpoint", "--json"],
    )
    .await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let source: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(source["name_slug"], "my-endpoint");
    let missing = deploy(&api, folder.path(), &["rss"]).await;
    assert_ne!(missing.code, 0);
    assert!(missing.err.contains("url"), "{}", missing.err);
}

#[tokio::test]
async fn a_file_with_the_name_of_a_key_comes_first() {
    let (api, folder) = (user().await, tempfile::tempdir().expect("a folder"));
    fs::write(folder.path().join("http"), "text").expect("a file");
    let ran = deploy(&api, folder.path(), &["http"]).await;
    assert!(ran.err.contains("http is not a code file"), "{}", ran.err);
    // A folder is not a file.
    fs::remove_file(folder.path().join("http")).expect("the file");
    fs::create_dir(folder.path().join("http")).expect("a folder");
    assert_eq!(deploy(&api, folder.path(), &["http"]).await.code, 0);
}

#[tokio::test]
async fn an_unknown_key_brings_up_similar_ones() {
    let (api, folder) = (user().await, tempfile::tempdir().expect("a folder"));
    for (typed, meant) in [
        ("htpp", "http"),
        ("github", "github-webhook"),
        ("scedule", "schedule"),
        ("feed", "rss"),
    ] {
        let ran = deploy(&api, folder.path(), &[typed]).await;
        assert_eq!(ran.code, 5, "{}", ran.err);
        assert!(ran.err.contains("did you mean"), "{typed}: {}", ran.err);
        assert!(ran.err.contains(meant), "{typed}: {}", ran.err);
    }
    let ran = deploy(&api, folder.path(), &["zebra"]).await;
    assert!(
        ran.err.contains("search with `sluice list registry"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn an_action_is_not_deployed() {
    let (api, folder) = (user().await, tempfile::tempdir().expect("a folder"));
    let ran = deploy(&api, folder.path(), &["filter"]).await;
    assert!(ran.err.contains("is an action"), "{}", ran.err);
}
