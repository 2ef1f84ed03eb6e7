//! The files of a tree, in a folder of this machine or in an archive. Paths have slashes, and are relative to the root.

use std::{collections::BTreeSet, fs, io};

use sluice_code::{Files, LocalFiles, Location};

/// A name in a folder. Folders come first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    Folder(String),
    File(String),
}

pub(super) trait TreeFiles: Files + Clone {
    /// The entries of a folder, in the order of their names.
    fn entries(&self, folder: &str) -> io::Result<BTreeSet<Entry>>;

    fn is_file(&self, path: &str) -> bool;

    fn is_folder(&self, path: &str) -> bool;

    fn content(&self, path: &str) -> io::Result<Vec<u8>>;

    /// The same files, with a folder as the root.
    fn in_folder(&self, folder: &str) -> io::Result<Self>;

    /// The names of the folders in a folder.
    fn folders(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = self.entries(folder)?.into_iter();
        let folders = entries.filter_map(|entry| match entry {
            Entry::Folder(name) => Some(name),
            Entry::File(_) => None,
        });
        Ok(folders.collect())
    }
}

impl TreeFiles for LocalFiles {
    fn entries(&self, folder: &str) -> io::Result<BTreeSet<Entry>> {
        let mut entries = BTreeSet::new();
        for entry in fs::read_dir(self.path(&Location::new(folder)))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            entries.insert(if entry.path().is_dir() {
                Entry::Folder(name)
            } else {
                Entry::File(name)
            });
        }
        Ok(entries)
    }

    fn is_file(&self, path: &str) -> bool {
        self.path(&Location::new(path)).is_file()
    }

    fn is_folder(&self, path: &str) -> bool {
        self.path(&Location::new(path)).is_dir()
    }

    fn content(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(self.path(&Location::new(path)))
    }

    fn in_folder(&self, folder: &str) -> io::Result<LocalFiles> {
        LocalFiles::new(&self.path(&Location::new(folder)))
    }
}
