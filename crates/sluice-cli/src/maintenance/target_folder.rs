//! An empty data folder that gets a database.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use sluice_store::Location;

use crate::data_folder::{
    DATABASE_FILE, DataFolder, KEY_FILE, KEY_LOCK_FILE, LOCK_FILE, PENDING_KEY_FILE,
    UNFINISHED_FILE,
};

/// What an empty folder may have: the master key that belongs to the database, locks, and what a file system puts there.
const ALLOWED: [&str; 6] = [
    LOCK_FILE,
    KEY_FILE,
    KEY_LOCK_FILE,
    PENDING_KEY_FILE,
    "sluice.db.lock",
    "lost+found",
];

/// Locked. The database is in a file of another name, with which no server starts, until it is complete.
pub(super) struct TargetFolder(DataFolder);

impl TargetFolder {
    /// Makes the folder if it is missing. The leftover of an interrupted restore is removed.
    pub(super) fn open(path: &Path) -> anyhow::Result<TargetFolder> {
        let folder = DataFolder::open(path)?;
        let names = fs::read_dir(folder.path()).and_then(|entries| {
            let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            names.collect::<std::io::Result<Vec<String>>>()
        });
        let names = names.with_context(|| format!("cannot read {}", path.display()))?;
        let is_unknown = |name: &&String| {
            !ALLOWED.contains(&name.as_str()) && !name.starts_with(UNFINISHED_FILE)
        };
        if let Some(name) = names.iter().find(is_unknown) {
            bail!(
                "the folder {} is not empty: it has {name}. Use an empty or new folder",
                path.display()
            );
        }
        let target = TargetFolder(folder);
        target.remove_unfinished()?;
        Ok(target)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    fn unfinished(&self) -> PathBuf {
        self.path().join(UNFINISHED_FILE)
    }

    fn remove_unfinished(&self) -> anyhow::Result<()> {
        let path = self.unfinished();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// Lets `fill` make the database, and then gives it its name. An error leaves the folder as it was.
    pub(super) fn fill<T>(
        &self,
        fill: impl FnOnce(&Location) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let unfinished = self.unfinished();
        let filled = fill(&Location::Sqlite(unfinished.clone()));
        if filled.is_err() {
            self.remove_unfinished()?;
            return filled;
        }
        fs::rename(&unfinished, self.path().join(DATABASE_FILE))
            .and_then(|()| File::open(self.path())?.sync_all())
            .with_context(|| format!("cannot rename {}", unfinished.display()))?;
        filled
    }
}
