//! The places where Deno may be.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

const OLDEST_USABLE: (u32, u32) = (2, 8);
/// A binary that takes longer to print its version does not count.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// The folders above the program in which a `node_modules` may be: `target/release/sluice` is two below a checkout, and the
/// binary of the npm package four below its project.
const LEVELS: usize = 5;

pub(super) struct Search<'a> {
    /// The running program, with links resolved.
    pub(super) executable: Option<PathBuf>,
    /// The value of `PATH`.
    pub(super) path: OsString,
    /// Holds the `node_modules` of an earlier install.
    pub(super) own_folder: &'a Path,
}

impl Search<'_> {
    /// The first binary that runs and is recent enough.
    pub(super) async fn run(&self) -> Option<PathBuf> {
        for binary in self.candidates() {
            if binary.is_file() && is_usable(&binary).await {
                return Some(binary);
            }
        }
        None
    }

    fn candidates(&self) -> impl Iterator<Item = PathBuf> {
        let folders = || self.executable.iter().flat_map(|it| it.ancestors().skip(1));
        let beside = folders().take(1).map(|folder| folder.join("deno"));
        let packages = folders().take(LEVELS).flat_map(in_node_modules);
        let on_path = env::split_paths(&self.path).map(|folder| folder.join("deno"));
        beside
            .chain(packages)
            .chain(on_path)
            .chain(in_node_modules(self.own_folder))
    }
}

/// The npm package `deno` keeps the real binary in a package for each platform.
fn in_node_modules(folder: &Path) -> Vec<PathBuf> {
    let platforms = folder.join("node_modules").join("@deno").read_dir();
    let platforms = platforms.into_iter().flatten().flatten();
    platforms.map(|it| it.path().join("deno")).collect()
}

/// The binary that npm has installed in `folder`.
pub(super) async fn installed(folder: &Path) -> Option<PathBuf> {
    for binary in in_node_modules(folder) {
        if is_usable(&binary).await {
            return Some(binary);
        }
    }
    None
}

async fn is_usable(binary: &Path) -> bool {
    let version = version_of(binary).await;
    version.is_some_and(|version| version >= OLDEST_USABLE)
}

pub(super) async fn version_of(binary: &Path) -> Option<(u32, u32)> {
    let output = Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(VERSION_TIMEOUT, output).await.ok()?.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut parts = text.strip_prefix("deno ")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
