//! Writing the files of an export. Only files of an earlier export are removed.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::commands::snapshot::{
    folder::Folder,
    to_files::{files, is_inside},
};

/// The file that lists the files of the last export.
const MANIFEST: &str = ".sluice-export";

/// The result of an export.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ExportResult {
    pub(crate) files: usize,
    pub(crate) changed: usize,
    pub(crate) removed: Vec<String>,
}

pub(crate) fn write(root: &Path, folder: &Folder) -> anyhow::Result<ExportResult> {
    let files = files(folder)?;
    let mut result = ExportResult {
        files: files.len(),
        ..ExportResult::default()
    };
    for (path, text) in &files {
        result.changed += usize::from(put(&root.join(path), text)?);
    }
    for path in manifest(root)? {
        if !files.contains_key(&path) && remove(root, &path)? {
            result.removed.push(path);
        }
    }
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    put(&root.join(MANIFEST), &(names.join("\n") + "\n"))?;
    Ok(result)
}

/// Writes a file. Returns whether its content changed.
fn put(path: &Path, text: &str) -> anyhow::Result<bool> {
    if fs::read(path).is_ok_and(|current| current == text.as_bytes()) {
        return Ok(false);
    }
    let created = match path.parent() {
        Some(parent) => fs::create_dir_all(parent),
        None => Ok(()),
    };
    created
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

/// The files of the last export. The manifest is untrusted, so paths outside of the folder are ignored.
fn manifest(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let path = root.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(text
            .lines()
            .filter(|line| is_inside(Path::new(line)))
            .map(str::to_owned)
            .collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Removes a file and the folders that become empty. Returns whether the file existed.
fn remove(root: &Path, path: &str) -> anyhow::Result<bool> {
    let full = root.join(path);
    match fs::remove_file(&full) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        result => result.with_context(|| format!("cannot remove {}", full.display()))?,
    }
    let mut parent: PathBuf = full;
    while parent.pop() && parent != root && fs::remove_dir(&parent).is_ok() {}
    Ok(true)
}
