//! Files that came with a request.

use std::{collections::BTreeMap, sync::Arc};

use crate::{FileError, Files, Location};

/// A folder tree in memory.
#[derive(Debug, Clone, Default)]
pub struct GivenFiles {
    texts: Arc<BTreeMap<Location, String>>,
}

impl GivenFiles {
    /// The paths are relative to the root, with or without `./` at their beginning, and do not leave it.
    pub fn new(files: &BTreeMap<String, String>) -> Result<GivenFiles, FileError> {
        let texts = files
            .iter()
            .map(|(path, text)| Ok((GivenFiles::location(path)?, text.clone())))
            .collect::<Result<_, FileError>>()?;
        Ok(GivenFiles {
            texts: Arc::new(texts),
        })
    }

    /// The name of the file at a path.
    pub fn location(path: &str) -> Result<Location, FileError> {
        if path.starts_with('/') {
            return Err(FileError::Outside(path.to_owned()));
        }
        Location::new("").relative(&format!("./{path}"))
    }

    pub fn get(&self, location: &Location) -> Option<&str> {
        self.texts.get(location).map(String::as_str)
    }
}

impl Files for GivenFiles {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        importer.relative(specifier)
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
    fn paths_are_below_the_root_however_they_are_written() {
        for path in ["lib/a.mjs", "./lib/a.mjs", "lib/./b/../a.mjs", "lib//a.mjs"] {
            assert_eq!(
                GivenFiles::location(path),
                Ok(Location::new("lib/a.mjs")),
                "{path}"
            );
        }
        for path in ["../a.mjs", "/a.mjs", "lib/../../a.mjs"] {
            assert!(GivenFiles::location(path).is_err(), "{path}");
        }
    }
}
