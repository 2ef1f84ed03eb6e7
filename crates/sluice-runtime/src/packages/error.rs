//! The errors of packages.

use std::io;

use sluice_model::CodeError;

use super::install::InstallError;

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The code imports packages that do not exist or cannot run here.
    #[error("the code names packages that cannot be used")]
    Code(Vec<CodeError>),
    /// The network or the registry failed.
    #[error("packages could not be fetched: {0}")]
    Unavailable(String),
}

impl From<io::Error> for PackageError {
    fn from(error: io::Error) -> PackageError {
        PackageError::Unavailable(error.to_string())
    }
}

impl From<InstallError> for PackageError {
    fn from(error: InstallError) -> PackageError {
        let message = error.to_string();
        match error {
            InstallError::TooLarge { .. } => {
                PackageError::Code(vec![CodeError::without_position(message)])
            }
            InstallError::Missing { .. } | InstallError::Failed { .. } | InstallError::Io(_) => {
                PackageError::Unavailable(message)
            }
        }
    }
}
