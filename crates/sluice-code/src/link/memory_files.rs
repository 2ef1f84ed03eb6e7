//! Files that come with a request.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    files::{FileError, Files},
    remote_files::locate_url,
};
use crate::location::Location;

/// A folder tree in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    texts: Arc<BTreeMap<Location, String>>,
}

impl MemoryFiles {
    /// The paths are relative to the root, with or without `./` in front, and must not leave it.
    pub fn new(files: &BTreeMap<String, String>) -> Result<MemoryFiles, FileError> {
        let texts = files
            .iter()
            .map(|(path, text)| Ok((MemoryFiles::location(path)?, text.clone())))
            .collect::<Result<_, FileError>>()?;
        Ok(MemoryFiles {
            texts: Arc::new(texts),
        })
    }

    /// The location of the file at a path. Files that came from URLs keep them.
    pub fn location(path: &str) -> Result<Location, FileError> {
        if path.contains("://") {
            return Ok(Location::new(path));
        }
        if path.starts_with('/') {
            return Err(FileError::Outside(path.to_owned()));
        }
        let specifier = format!("./{path}");
        let location = Location::new("").relative(&specifier);
        location.map_err(|error| FileError::of_path(&error, &specifier))
    }

    pub fn get(&self, location: &Location) -> Option<&str> {
        self.texts.get(location).map(String::as_str)
    }
}

impl Files for MemoryFiles {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        if importer.is_url() {
            return locate_url(importer, specifier);
        }
        let location = importer.relative(specifier);
        location.map_err(|error| FileError::of_path(&error, specifier))
    }

    fn app_folder(&self, app: &str) -> Option<Location> {
        let folder = format!("{app}/");
        let mut paths = self.texts.keys();
        paths
            .any(|location| location.as_str().starts_with(&folder))
            .then(|| Location::new(app))
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        Ok(self.texts.get(location).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized_and_stay_below_the_root() {
        for path in ["lib/a.mjs", "./lib/a.mjs", "lib/./b/../a.mjs", "lib//a.mjs"] {
            assert_eq!(
                MemoryFiles::location(path),
                Ok(Location::new("lib/a.mjs")),
                "{path}"
            );
        }
        for path in ["../a.mjs", "/a.mjs", "lib/../../a.mjs"] {
            assert!(MemoryFiles::location(path).is_err(), "{path}");
        }
    }
}
