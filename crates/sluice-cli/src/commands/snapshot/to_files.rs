//! The files of a folder: the text of each by its path.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use anyhow::bail;
use serde_json::json;
use sluice_api::ComponentFiles;

use super::{
    COMPONENTS,
    folder::{Folder, Runs},
    from_account::entry_path,
    source_file::SourceFile,
};
use crate::commands::{code::Code, yaml};

/// The text of every file, by its path in the folder.
pub(crate) fn files(folder: &Folder) -> anyhow::Result<BTreeMap<String, String>> {
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

/// Whether a relative path stays in its folder.
pub(crate) fn is_inside(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
