//! The tests beside the components.

use std::{path::Path, process::Stdio};

use sluice_testkit::{Registry, sluice_binary};
use tokio::process::Command;

#[tokio::test]
async fn the_tests_beside_the_components_pass() {
    let cache = sluice_testkit::scratch_folder();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(sluice_binary())
        .args(["test", "starter"])
        .current_dir(repository)
        .env_clear()
        .envs(std::env::var("SLUICE_DENO").map(|deno| ("SLUICE_DENO", deno)))
        .env("XDG_CACHE_HOME", cache.path())
        .env("NPM_CONFIG_REGISTRY", Registry::installed().url())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert_eq!(out.matches("running ").count(), 21, "{out}");
}
