//! Where the files of a component come from.

use crate::{
    location::{Location, PathError},
    module::ParsedModule,
};

/// The files that a component may import.
pub trait Files: Send + Sync + 'static {
    /// The location that `specifier` (relative, absolute, or a URL) means in the file `importer`, before any extension is tried. By
    /// default it is relative, as in a folder.
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        let location = importer.relative(specifier);
        location.map_err(|error| FileError::of_path(&error, specifier))
    }

    /// The folder of the app `app`, if it is among these files.
    fn app_folder(&self, app: &str) -> Option<Location>;

    /// The text of a file; `None` if there is no such file.
    fn read(
        &self,
        location: &Location,
    ) -> impl Future<Output = Result<Option<String>, FileError>> + Send;

    /// The module in a file, if it was parsed before.
    fn parsed(&self, _location: &Location) -> Option<ParsedModule> {
        None
    }

    /// Is told of each module that was parsed, so that it can be kept for [`Self::parsed`].
    fn keep(&self, _location: &Location, _module: &ParsedModule) {}
}

/// Why an existing file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("{0} is outside of the folder that holds the component")]
    Outside(String),
    #[error("{0} cannot be imported here: use a relative path or the name of a package")]
    Unsupported(String),
    #[error("{location} cannot be read: {reason}")]
    Unreadable { location: Location, reason: String },
    #[error("the component is too large: {0}")]
    TooMuch(String),
}

impl FileError {
    pub(crate) fn of_path(error: &PathError, specifier: &str) -> FileError {
        match error {
            PathError::NotRelative => FileError::Unsupported(specifier.to_owned()),
            PathError::Outside => FileError::Outside(specifier.to_owned()),
        }
    }
}
