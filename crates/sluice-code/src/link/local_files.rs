//! Components in a folder tree of this machine.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    files::{FileError, Files},
    tree_root,
};
use crate::location::Location;

/// The files below a root. If app folders are directly below it, `@pipedream/<app>/…` resolves to them.
#[derive(Debug, Clone)]
pub struct LocalFiles {
    /// Canonical, so that it can be compared with the canonical path of a file.
    root: PathBuf,
}

impl LocalFiles {
    pub fn new(root: &Path) -> io::Result<LocalFiles> {
        Ok(LocalFiles {
            root: root.canonicalize()?,
        })
    }

    /// The tree that the component at `entry` belongs to, and the component's location in it.
    pub fn around(entry: &Path) -> io::Result<(LocalFiles, Location)> {
        let entry = entry.canonicalize()?;
        let files = LocalFiles {
            root: tree_root::around(&entry),
        };
        let location = files.location(&entry)?;
        Ok((files, location))
    }

    /// The location of the file at `path` in this tree.
    pub fn location(&self, path: &Path) -> io::Result<Location> {
        let path = path.canonicalize()?;
        let below = path.strip_prefix(&self.root).map_err(|_| {
            io::Error::other(format!(
                "{} is not in {}",
                path.display(),
                self.root.display()
            ))
        })?;
        Ok(Location::new(
            below
                .to_string_lossy()
                .replace(std::path::MAIN_SEPARATOR, "/"),
        ))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file of the tree, for example to watch it.
    pub fn path(&self, location: &Location) -> PathBuf {
        self.root.join(location.as_str())
    }
}

impl Files for LocalFiles {
    fn app_folder(&self, app: &str) -> Option<Location> {
        self.root.join(app).is_dir().then(|| Location::new(app))
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        let (root, path, location) = (self.root.clone(), self.path(location), location.clone());
        tokio::task::spawn_blocking(move || read_below(&root, &path, &location))
            .await
            .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

fn read_below(root: &Path, path: &Path, location: &Location) -> Result<Option<String>, FileError> {
    let unreadable = |reason: String| FileError::Unreadable {
        location: location.clone(),
        reason,
    };
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    if !real.starts_with(root) {
        return Err(FileError::Outside(location.to_string()));
    }
    if !real.is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(&real).map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| unreadable("it is not UTF-8 text".to_owned()))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_followed_up_to_the_root_and_no_further() {
        let files = LocalFiles {
            root: PathBuf::from("/tree"),
        };
        let importer = Location::new("acme/sources/new.mjs");
        let located = |specifier: &str| files.locate(&importer, specifier);
        assert_eq!(
            located("../acme.app.mjs"),
            Ok(Location::new("acme/acme.app.mjs"))
        );
        assert_eq!(located("./../../b.mjs"), Ok(Location::new("b.mjs")));
        assert_eq!(located("."), Ok(Location::new("acme/sources")));
        assert_eq!(
            located("../../../b.mjs"),
            Err(FileError::Outside("../../../b.mjs".to_owned()))
        );
        assert_eq!(
            located("/etc/passwd"),
            Err(FileError::Unsupported("/etc/passwd".to_owned()))
        );
    }
}
