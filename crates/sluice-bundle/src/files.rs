//! Where files come from.

use crate::Location;

/// The files that a component may import.
pub trait Files: Send + Sync + 'static {
    /// What `specifier` (relative, absolute, or an address) in the file `importer` names, before any extension is tried.
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError>;

    /// The folder of the app `app`, when it is among these files.
    fn app_folder(&self, app: &str) -> Option<Location>;

    /// The text of a file; `None` when there is no such file.
    fn read(
        &self,
        location: &Location,
    ) -> impl Future<Output = Result<Option<String>, FileError>> + Send;
}

/// Why a file cannot be had, other than that it does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("{0} is outside of the folder that holds the component")]
    Outside(String),
    #[error("{0} cannot be imported here: use a relative path or the name of a package")]
    Unsupported(String),
    #[error("{location} cannot be read: {reason}")]
    Unreadable { location: Location, reason: String },
    #[error("{0} is nested too deeply")]
    TooDeep(Location),
    #[error("the component is too large: {0}")]
    TooMuch(String),
}
