//! Locations of files.

use std::fmt;

/// The location of a file: its path below the root of a tree, with `/` as separator, or its URL. Errors name files by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(String);

/// Why a path has no location in a tree.
pub(crate) enum PathError {
    NotRelative,
    Outside,
}

impl Location {
    pub fn new(name: impl Into<String>) -> Location {
        Location(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_url(&self) -> bool {
        self.0.contains("://")
    }

    /// The location without the query of a URL.
    fn path(&self) -> &str {
        let end = if self.is_url() {
            self.0.find(['?', '#']).unwrap_or(self.0.len())
        } else {
            self.0.len()
        };
        &self.0[..end]
    }

    pub(crate) fn extension(&self) -> Option<&str> {
        let (_, name) = self.path().rsplit_once('/').unwrap_or(("", self.path()));
        let (stem, extension) = name.rsplit_once('.')?;
        (!stem.is_empty()).then_some(extension)
    }

    /// The same location with `end` after its path.
    pub(crate) fn with(&self, end: &str) -> Location {
        let (path, query) = self.0.split_at(self.path().len());
        Location(format!("{path}{end}{query}"))
    }

    pub(crate) fn with_extension(&self, extension: &str) -> Location {
        let (path, query) = self.0.split_at(self.path().len());
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        Location(format!("{stem}.{extension}{query}"))
    }

    /// The location of a relative path in this file, if it is inside of the tree.
    pub(crate) fn relative(&self, specifier: &str) -> Result<Location, PathError> {
        if !specifier.starts_with('.') {
            return Err(PathError::NotRelative);
        }
        let mut parts: Vec<&str> = self.0.split('/').collect();
        parts.pop();
        for part in specifier.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(PathError::Outside)?;
                }
                name => parts.push(name),
            }
        }
        Ok(Location(parts.join("/")))
    }

    /// A file in this folder.
    pub(crate) fn child(&self, name: &str) -> Location {
        if self.path().is_empty() || self.path().ends_with('/') {
            self.with(name)
        } else {
            self.with(&format!("/{name}"))
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_of_a_url_is_no_part_of_its_path() {
        let url = Location::new("https://example.com/a/b.mjs?token=x.y");
        assert_eq!(url.extension(), Some("mjs"));
        assert_eq!(
            url.with(".ts").as_str(),
            "https://example.com/a/b.mjs.ts?token=x.y"
        );
        assert_eq!(
            url.with_extension("mts").as_str(),
            "https://example.com/a/b.mts?token=x.y"
        );
    }

    #[test]
    fn a_file_may_have_no_extension() {
        assert_eq!(Location::new("acme.d/run").extension(), None);
        assert_eq!(Location::new("acme/.hidden").extension(), None);
        assert_eq!(Location::new("acme/acme.app.mjs").extension(), Some("mjs"));
    }

    #[test]
    fn a_file_of_the_root_has_no_leading_slash() {
        assert_eq!(Location::new("").child("a.mjs").as_str(), "a.mjs");
        assert_eq!(Location::new("a").child("b.mjs").as_str(), "a/b.mjs");
    }
}
