//! Scripts take the place of Deno and npm.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use parking_lot::Mutex;
use tempfile::TempDir;

use super::{InstallProgress, error::InstallError, npm::NpmInstall, search::Search};

const DENO: &str = "echo 'deno 2.9.6 (stable)'";

fn script(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("the script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("the mode");
    path.to_owned()
}

/// Searches for a program at `usr/lib/sluice/sluice` with the folder `path` on the path.
async fn found(root: &TempDir) -> Option<PathBuf> {
    let search = Search {
        executable: Some(root.path().join("usr/lib/sluice/sluice")),
        path: root.path().join("path").into(),
        own_folder: &root.path().join("data"),
    };
    search.run().await
}

#[tokio::test]
async fn deno_beside_the_program_is_preferred() {
    let root = tempfile::tempdir().expect("a folder");
    assert_eq!(found(&root).await, None);
    for place in [
        "data/node_modules/@deno/linux-x64-glibc/deno",
        "path/deno",
        "usr/node_modules/@deno/linux-x64-glibc/deno",
        "usr/lib/sluice/deno",
    ] {
        let binary = script(&root.path().join(place), DENO);
        assert_eq!(found(&root).await, Some(binary));
    }
}

#[tokio::test]
async fn a_binary_that_does_not_run_or_is_too_old_is_passed_over() {
    let root = tempfile::tempdir().expect("a folder");
    script(&root.path().join("usr/lib/sluice/deno"), "exit 1");
    script(
        &root
            .path()
            .join("usr/node_modules/@deno/linux-x64-musl/deno"),
        "echo 'deno 2.7.9'",
    );
    let good = script(&root.path().join("path/deno"), DENO);
    assert_eq!(found(&root).await, Some(good));
}

/// Installs with a script in place of npm, whose last argument but one is the folder. Returns the progress too.
async fn install(npm: &str) -> (TempDir, Result<PathBuf, InstallError>, Vec<InstallProgress>) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("data/deno");
    let npm = script(&root.path().join("npm"), npm);
    let seen = Mutex::new(Vec::new());
    let outcome = short(&folder, npm.into())
        .run(|progress| seen.lock().push(progress))
        .await;
    (root, outcome, seen.into_inner())
}

fn short(folder: &Path, npm: OsString) -> NpmInstall<'_> {
    NpmInstall {
        npm,
        folder,
        report_every: Duration::from_millis(20),
        stalled_after: Duration::from_millis(200),
        time_limit: Duration::from_secs(20),
    }
}

#[tokio::test]
async fn an_install_reports_its_progress_and_removes_the_downloads() {
    let (root, outcome, progress) = install(
        r#"while [ $# -gt 2 ]; do shift; done
           mkdir -p "$1/downloads" "$1/node_modules/@deno/linux-x64-glibc"
           for part in 1 2 3 4 5 6 7 8; do echo "some bytes" > "$1/downloads/$part"; sleep 0.1; done
           binary="$1/node_modules/@deno/linux-x64-glibc/deno"
           printf '#!/bin/sh\necho deno 2.9.6\n' > "$binary" && chmod +x "$binary""#,
    )
    .await;
    let binary = outcome.expect("Deno is installed");
    assert!(binary.ends_with("deno/node_modules/@deno/linux-x64-glibc/deno"));
    assert!(!root.path().join("data/deno/downloads").exists());
    assert_eq!(progress[0], InstallProgress::Started);
    let sizes = progress.iter().filter_map(|it| match it {
        InstallProgress::Started => None,
        InstallProgress::Running { bytes, .. } => Some(*bytes),
    });
    let sizes: Vec<u64> = sizes.collect();
    assert!(
        sizes.is_sorted() && sizes.first() < sizes.last(),
        "{sizes:?}"
    );
}

#[tokio::test]
async fn an_npm_that_receives_nothing_is_killed_with_its_children() {
    let (root, outcome, _) = install(r#"sleep 1000 & echo $! > "$0.child"; wait"#).await;
    assert!(
        matches!(outcome, Err(InstallError::Stalled(_))),
        "{outcome:?}"
    );
    let child = fs::read_to_string(root.path().join("npm.child")).expect("the id");
    let process = PathBuf::from(format!("/proc/{}/cmdline", child.trim()));
    // A process that ended has no command line, and no folder when it is reaped.
    while !fs::read(&process).unwrap_or_default().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_install_that_takes_too_long_is_ended() {
    let root = tempfile::tempdir().expect("a folder");
    let npm = script(&root.path().join("npm"), "exec sleep 1000");
    let folder = root.path().join("deno");
    let mut install = short(&folder, npm.into());
    (install.stalled_after, install.time_limit) =
        (Duration::from_secs(20), Duration::from_millis(100));
    let outcome = install.run(|_| {}).await;
    assert!(
        matches!(outcome, Err(InstallError::TimedOut(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn the_reason_of_npm_is_reported() {
    let (_root, outcome, _) = install("echo 'npm error 404 Not Found' >&2; exit 1").await;
    let error = outcome.expect_err("npm failed").to_string();
    assert_eq!(error, "npm error 404 Not Found");
    let (_root, outcome, _) = install("exit 0").await;
    assert!(
        matches!(outcome, Err(InstallError::NoBinary)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_machine_without_npm_says_so() {
    let root = tempfile::tempdir().expect("a folder");
    let missing = root.path().join("npm").into();
    let outcome = short(&root.path().join("deno"), missing).run(|_| {}).await;
    assert!(
        matches!(outcome, Err(InstallError::NoNpm(_))),
        "{outcome:?}"
    );
}
