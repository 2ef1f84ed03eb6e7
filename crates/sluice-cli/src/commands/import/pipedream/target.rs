//! The folder that is written. It appears complete or not at all.
//!
//! The files are written to a hidden folder beside it, which is renamed in the end. A manifest marks a folder of this command.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use crate::commands::snapshot::to_files::is_inside;

/// The file that lists the files of the import.
const MANIFEST: &str = ".sluice-import";
/// The number of foreign files that an error names.
const SHOWN_FILES: usize = 3;

pub(super) struct Target {
    path: PathBuf,
    /// Removed when the target is dropped.
    staging: PathBuf,
    /// The place of an earlier import while it is replaced.
    replaced: PathBuf,
}

impl Target {
    /// Fails for a folder with files, unless `force` is given and they are those of an earlier import.
    pub(super) fn open(path: &Path, force: bool) -> anyhow::Result<Target> {
        let Some(name) = path.file_name() else {
            bail!("--to {}: must be a folder with a name", path.display());
        };
        check(path, force)?;
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        let beside = |ending: &str| {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(ending);
            parent.join(hidden)
        };
        let target = Target {
            path: path.to_owned(),
            staging: beside(".sluice-import-partial"),
            replaced: beside(".sluice-import-replaced"),
        };
        // Left by an import that was killed.
        remove(&target.staging)?;
        Ok(target)
    }

    /// The hidden folder with the files.
    pub(super) fn staging(&self) -> &Path {
        &self.staging
    }

    /// Writes these files, and no others, to the hidden folder.
    pub(super) fn stage(&self, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
        remove(&self.staging)?;
        fs::create_dir_all(&self.staging)
            .with_context(|| format!("cannot create {}", self.staging.display()))?;
        for (path, text) in files {
            if !is_inside(Path::new(path)) {
                bail!("{path} is outside of the folder");
            }
            self.put(path, text)?;
        }
        Ok(())
    }

    /// Renames the hidden folder with these files to its name.
    pub(super) fn finish(self, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        self.put(MANIFEST, &(names.join("\n") + "\n"))?;
        let shown = self.path.display();
        let is_replacement = manifest(&self.path)?.is_some();
        if is_replacement {
            remove(&self.replaced)?;
            fs::rename(&self.path, &self.replaced)
                .with_context(|| format!("cannot replace {shown}"))?;
        } else if self.path.is_dir() {
            fs::remove_dir(&self.path).with_context(|| format!("cannot replace {shown}"))?;
        }
        fs::rename(&self.staging, &self.path).with_context(|| format!("cannot create {shown}"))?;
        remove(&self.replaced)
    }

    fn put(&self, path: &str, text: &str) -> anyhow::Result<()> {
        let full = self.staging.join(path);
        let created = match full.parent() {
            Some(parent) => fs::create_dir_all(parent),
            None => Ok(()),
        };
        created
            .and_then(|()| fs::write(&full, text))
            .with_context(|| format!("cannot write {}", full.display()))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // The next import removes it too.
        let _ = fs::remove_dir_all(&self.staging);
    }
}

/// Fails if the folder must not be replaced.
fn check(path: &Path, force: bool) -> anyhow::Result<()> {
    let shown = path.display();
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        Ok(found) if !found.is_dir() => bail!("{shown} exists and is not a folder"),
        Ok(_) => {}
    }
    let present = files_in(path)?;
    let Some(own) = manifest(path)? else {
        if present.is_empty() {
            return Ok(());
        }
        bail!("{shown} is not empty: give the name of a new folder");
    };
    if !force {
        bail!("{shown} has an earlier import: use --force to replace it, with all changes in it");
    }
    let foreign: Vec<&str> = present
        .iter()
        .filter(|file| *file != MANIFEST && !own.contains(*file))
        .map(String::as_str)
        .collect();
    if !foreign.is_empty() {
        let some = foreign[..foreign.len().min(SHOWN_FILES)].join(", ");
        bail!("{shown} has files that the import did not write, such as {some}: move them away");
    }
    Ok(())
}

/// The files of an earlier import. None if the folder is not one.
fn manifest(folder: &Path) -> anyhow::Result<Option<BTreeSet<String>>> {
    let path = folder.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.lines().map(str::to_owned).collect())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The paths of all files below a folder. Links are not followed.
fn files_in(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries =
            fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))?;
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                let below = path.strip_prefix(folder).unwrap_or(&path);
                files.insert(below.to_string_lossy().into_owned());
            }
        }
    }
    Ok(files)
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
