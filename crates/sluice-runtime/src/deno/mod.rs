//! Finds the Deno binary that runs components, or installs it with npm.

mod error;
mod npm;
mod progress;
mod search;
#[cfg(test)]
mod tests;
mod version;

use std::{
    env,
    path::{Path, PathBuf},
};

pub use self::{error::DenoError, progress::InstallProgress, version::DENO_VERSION};
use self::{npm::NpmInstall, search::Search};

/// Looks for Deno at `configured`, beside this program, in a `node_modules` folder beside or above it, on the path and in the
/// data folder. If there is none, it installs Deno into the data folder, and reports the progress every few seconds.
pub async fn find_deno(
    configured: Option<&Path>,
    data_dir: &Path,
    progress: impl Fn(InstallProgress),
) -> Result<PathBuf, DenoError> {
    if let Some(path) = configured {
        return match search::version_of(path).await {
            Some(_) => Ok(path.to_owned()),
            None => Err(DenoError::Configured(path.to_owned())),
        };
    }
    let own_folder = data_dir.join("deno");
    let search = Search {
        executable: env::current_exe().ok(),
        path: env::var_os("PATH").unwrap_or_default(),
        own_folder: &own_folder,
    };
    if let Some(found) = search.run().await {
        return Ok(found);
    }
    let install = NpmInstall::new(&own_folder);
    install.run(progress).await.map_err(DenoError::Install)
}
