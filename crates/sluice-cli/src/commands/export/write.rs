//! Writing the files of an export. Only files of an earlier export are removed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, bail};
use serde_json::json;
use sluice_api::ComponentFiles;

use crate::commands::{
    code::Code,
    snapshot::{
        COMPONENTS,
        folder::{Folder, Runs},
        from_account::entry_path,
        source_file::SourceFile,
    },
    yaml,
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

/// Adds the files of a component: one file, or a folder.
fn add_code(files: &mut BTreeMap<String, String>, place: &str, code: &Code) -> anyhow::Result<()> {
    let others = code.files.iter().flat_map(|files| &files.files);
    for (path, text) in others {
        if !is_inside(Path::new(path)) {
            bail!("{place} has a file outside of its folder: {path}");
        }
        files.insert(format!("{place}/{path}"), text.clone());
    }
    files.insert(entry_path(place, code), code.text.clone());
    Ok(())
}

/// The text of every file, by its path in the folder.
fn files(folder: &Folder) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut trees = BTreeMap::new();
    for (stem, code) in &folder.components {
        add_code(&mut files, &format!("components/{stem}"), code)?;
        if let Some(ComponentFiles { path, .. }) = &code.files {
            trees.insert(stem, path);
        }
    }
    if !trees.is_empty() {
        files.insert(COMPONENTS.to_owned(), yaml::to_text(&trees));
    }
    for (slug, source) in &folder.sources {
        let text = yaml::to_text(&SourceFile::new(source));
        files.insert(format!("sources/{slug}.yaml"), text);
        if let Runs::File { path, code } = &source.runs
            && !path.starts_with("components/")
        {
            add_code(&mut files, &format!("sources/{slug}"), code)?;
        }
    }
    for (slug, workflow) in &folder.workflows {
        let path = |file: &str| format!("workflows/{slug}/{file}");
        files.insert(path("workflow.yaml"), workflow.document.clone());
        for (file, code) in &workflow.files {
            if !is_inside(Path::new(file)) {
                bail!("workflow {slug} has a file outside of its folder: {file}");
            }
            files.insert(path(file), code.clone());
        }
        if !workflow.active {
            files.insert(
                path("state.yaml"),
                yaml::to_text(&json!({ "active": false })),
            );
        }
    }
    if !folder.webhooks.is_empty() {
        files.insert("webhooks.yaml".to_owned(), yaml::to_text(&folder.webhooks));
    }
    if !folder.subscriptions.is_empty() {
        let text = yaml::to_text(&folder.subscriptions);
        files.insert("subscriptions.yaml".to_owned(), text);
    }
    Ok(files)
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

fn is_inside(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
