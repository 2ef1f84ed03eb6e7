//! The files of an archive: all texts in one file without a name, and an index in memory. Writing and removing tens of thousands of
//! files would take most of the time of an import without changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufWriter, Read, Write as _},
    ops::Bound,
    os::unix::fs::FileExt as _,
    path::Path,
    sync::Arc,
};

use sluice_code::{FileError, Files, Location};

use super::tree_files::{Entry, TreeFiles};

/// The place of a file in the file of all texts.
#[derive(Clone, Copy)]
struct Extent {
    start: u64,
    length: usize,
}

/// Takes the files of an archive.
pub(super) struct ArchiveWriter {
    texts: BufWriter<File>,
    end: u64,
    index: BTreeMap<String, Extent>,
}

impl ArchiveWriter {
    /// The texts are in a file without a name in this folder. The system removes it, also after a crash.
    pub(super) fn create(folder: &Path) -> io::Result<ArchiveWriter> {
        Ok(ArchiveWriter {
            texts: BufWriter::new(tempfile::tempfile_in(folder)?),
            end: 0,
            index: BTreeMap::new(),
        })
    }

    /// Adds a file, and returns its length. It replaces an earlier one of this path.
    pub(super) fn add(&mut self, path: String, content: &mut impl Read) -> io::Result<u64> {
        let length = io::copy(content, &mut self.texts)?;
        let extent = Extent {
            start: self.end,
            length: usize::try_from(length).map_err(io::Error::other)?,
        };
        self.end += length;
        self.index.insert(path, extent);
        Ok(length)
    }

    pub(super) fn finish(mut self) -> io::Result<ArchiveFiles> {
        self.texts.flush()?;
        let texts = self.texts.into_inner();
        Ok(ArchiveFiles {
            archive: Arc::new(Archive {
                texts: texts.map_err(io::IntoInnerError::into_error)?,
                index: self.index,
            }),
            root: String::new(),
        })
    }
}

struct Archive {
    texts: File,
    index: BTreeMap<String, Extent>,
}

/// The files of a folder of the archive. Cheap to clone.
#[derive(Clone)]
pub(super) struct ArchiveFiles {
    archive: Arc<Archive>,
    /// Empty, or a path with a slash at the end.
    root: String,
}

impl ArchiveFiles {
    /// The path in the archive with a slash at the end, or nothing.
    fn prefix(&self, folder: &str) -> String {
        if folder.is_empty() {
            return self.root.clone();
        }
        format!("{}{folder}/", self.root)
    }

    fn extent(&self, path: &str) -> Option<Extent> {
        let path = format!("{}{path}", self.root);
        self.archive.index.get(&path).copied()
    }

    fn bytes(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; extent.length];
        self.archive.texts.read_exact_at(&mut bytes, extent.start)?;
        Ok(bytes)
    }
}

impl TreeFiles for ArchiveFiles {
    fn entries(&self, folder: &str) -> io::Result<BTreeSet<Entry>> {
        let prefix = self.prefix(folder);
        let mut entries = BTreeSet::new();
        let mut from = Bound::Included(prefix.clone());
        while let Some((path, _)) = self.archive.index.range((from, Bound::Unbounded)).next() {
            let Some(rest) = path.strip_prefix(&prefix) else {
                break;
            };
            let (entry, next) = match rest.split_once('/') {
                // Behind everything in this folder: `0` follows the slash.
                Some((name, _)) => (
                    Entry::Folder(name.to_owned()),
                    Bound::Included(format!("{prefix}{name}0")),
                ),
                None => (Entry::File(rest.to_owned()), Bound::Excluded(path.clone())),
            };
            entries.insert(entry);
            from = next;
        }
        Ok(entries)
    }

    fn is_file(&self, path: &str) -> bool {
        self.extent(path).is_some()
    }

    fn is_folder(&self, path: &str) -> bool {
        let prefix = self.prefix(path);
        let below = (Bound::Included(&prefix), Bound::Unbounded);
        let first = self.archive.index.range::<String, _>(below).next();
        first.is_some_and(|(path, _)| path.starts_with(&prefix))
    }

    fn content(&self, path: &str) -> io::Result<Vec<u8>> {
        let extent = self.extent(path).ok_or(io::ErrorKind::NotFound)?;
        self.bytes(extent)
    }

    fn in_folder(&self, folder: &str) -> io::Result<ArchiveFiles> {
        Ok(ArchiveFiles {
            archive: Arc::clone(&self.archive),
            root: self.prefix(folder),
        })
    }
}

impl Files for ArchiveFiles {
    fn app_folder(&self, app: &str) -> Option<Location> {
        self.is_folder(app).then(|| Location::new(app))
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        let Some(extent) = self.extent(location.as_str()) else {
            return Ok(None);
        };
        let files = self.clone();
        let read = tokio::task::spawn_blocking(move || files.bytes(extent));
        let read = read
            .await
            .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let unreadable = |reason: String| FileError::Unreadable {
            location: location.clone(),
            reason,
        };
        let bytes = read.map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes);
        text.map(Some)
            .map_err(|_| unreadable("it is not UTF-8 text".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> ArchiveFiles {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = ArchiveWriter::create(folder.path()).expect("a file");
        for path in paths {
            let added = writer.add((*path).to_owned(), &mut path.as_bytes());
            added.expect("it is written");
        }
        writer.finish().expect("it is written")
    }

    #[test]
    fn folders_have_the_files_and_folders_directly_in_them() {
        let files = files(&["b/c/d.js", "b/c/e.js", "b/a.js", "b0.js", "b.js", "a/f.js"]);
        let file = |name: &str| Entry::File(name.to_owned());
        let folder = |name: &str| Entry::Folder(name.to_owned());
        let expected = [folder("a"), folder("b"), file("b.js"), file("b0.js")];
        let entries = |folder: &str| files.entries(folder).expect("a folder");
        assert_eq!(entries(""), BTreeSet::from(expected));
        assert_eq!(entries("b"), BTreeSet::from([folder("c"), file("a.js")]));
        assert!(entries("b/a.js").is_empty() && entries("none").is_empty());
        assert!(files.is_folder("b/c") && !files.is_folder("b/c/d.js"));
        assert!(files.is_file("b/c/d.js") && !files.is_file("b/c"));
    }

    #[tokio::test]
    async fn a_folder_has_its_files_below_its_own_root() {
        let files = files(&["repository/app/a.mjs", "repository/b.mjs"]);
        let files = files.in_folder("repository").expect("a folder");
        assert_eq!(files.content("b.mjs").expect("a file"), b"repository/b.mjs");
        assert_eq!(files.app_folder("app"), Some(Location::new("app")));
        assert_eq!(files.app_folder("ap"), None);
        let read = files.read(&Location::new("app/a.mjs")).await;
        assert_eq!(read, Ok(Some("repository/app/a.mjs".to_owned())));
        assert_eq!(files.read(&Location::new("app")).await, Ok(None));
    }
}
