//! The reasons why there is no Deno.

use std::{io, path::PathBuf, time::Duration};

use super::version::DENO_VERSION;

#[derive(Debug, thiserror::Error)]
pub enum DenoError {
    #[error("SLUICE_DENO names {0}, which is not a Deno that runs")]
    Configured(PathBuf),
    #[error(
        "Deno {DENO_VERSION} is needed to run components, and installing it with npm failed: {0}. \
         Install Deno 2.8 or later so that `deno` is beside sluice or on the path, or set SLUICE_DENO to its binary"
    )]
    Install(#[source] InstallError),
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("npm cannot be started ({0})")]
    NoNpm(#[source] io::Error),
    #[error("{folder} cannot be written ({cause})", folder = .folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{0}")]
    Npm(String),
    #[error("npm received nothing for {0:?}")]
    Stalled(Duration),
    #[error("npm did not finish within {0:?}")]
    TimedOut(Duration),
    #[error("the package has no binary for this machine")]
    NoBinary,
}
