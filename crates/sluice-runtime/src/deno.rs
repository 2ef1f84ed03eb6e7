//! Finds the Deno binary that runs components, or installs it.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The version Sluice is built and tested with.
pub const DENO_VERSION: &str = "2.9.6";
const OLDEST_USABLE: (u32, u32) = (2, 8);

#[derive(Debug, thiserror::Error)]
pub enum DenoError {
    #[error("SLUICE_DENO names {0}, which is not a Deno that runs")]
    Configured(PathBuf),
    #[error(
        "Deno {DENO_VERSION} is needed to run components, and installing it with npm failed: {0}. \
         Install Deno 2.8 or later so that `deno` is on the path, or set SLUICE_DENO to its binary"
    )]
    Install(String),
}

/// Looks in `SLUICE_DENO`, the repository's npm install, the path and the data folder, then installs it there.
pub fn find_deno(configured: Option<&Path>, data_dir: &Path) -> Result<PathBuf, DenoError> {
    if let Some(path) = configured {
        return match version_of(path) {
            Some(_) => Ok(path.to_owned()),
            None => Err(DenoError::Configured(path.to_owned())),
        };
    }
    let own_folder = data_dir.join("deno");
    beside_executable()
        .or_else(on_path)
        .or_else(|| in_node_modules(&own_folder))
        .map_or_else(|| install(&own_folder), Ok)
}

/// `target/release/sluice` finds the `node_modules` of the checkout it was built in.
fn beside_executable() -> Option<PathBuf> {
    let executable = env::current_exe().ok()?;
    executable
        .ancestors()
        .skip(1)
        .take(5)
        .find_map(in_node_modules)
}

/// The npm package `deno` keeps the real binary in a package for each platform.
fn in_node_modules(folder: &Path) -> Option<PathBuf> {
    let platforms = folder.join("node_modules").join("@deno").read_dir().ok()?;
    platforms
        .flatten()
        .map(|platform| platform.path().join("deno"))
        .find(|binary| is_usable(binary))
}

fn on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join("deno"))
        .find(|binary| binary.is_file() && is_usable(binary))
}

fn install(folder: &Path) -> Result<PathBuf, DenoError> {
    tracing::info!("installing Deno {DENO_VERSION} with npm, once");
    std::fs::create_dir_all(folder).map_err(|error| DenoError::Install(error.to_string()))?;
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .arg("--prefix")
        .arg(folder)
        .arg(format!("deno@{DENO_VERSION}"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| DenoError::Install(error.to_string()))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(DenoError::Install(reason));
    }
    in_node_modules(folder)
        .ok_or_else(|| DenoError::Install("the package has no binary for this machine".to_owned()))
}

fn is_usable(binary: &Path) -> bool {
    version_of(binary).is_some_and(|version| version >= OLDEST_USABLE)
}

fn version_of(binary: &Path) -> Option<(u32, u32)> {
    let output = Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut parts = text.strip_prefix("deno ")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
