//! Finding the folders of workflows.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::{
    super::report::{Kind, Report},
    synced::SyncedWorkflow,
};

const DOCUMENTS: [&str; 2] = ["workflow.yaml", "workflow.yml"];
const IGNORED: &str = "node_modules";

/// All workflows below these folders, by path. Files that are no workflows are reported.
pub(in super::super) fn find(
    folders: &[PathBuf],
    report: &mut Report,
) -> anyhow::Result<Vec<SyncedWorkflow>> {
    let mut found: Vec<SyncedWorkflow> = Vec::new();
    for folder in folders {
        let mut documents = Vec::new();
        collect(folder, &mut documents)?;
        documents.sort();
        if documents.is_empty() {
            let text = "there is no workflow.yaml in it";
            report.add(Kind::NotImported, &folder.display().to_string(), text);
        }
        for document in documents {
            match SyncedWorkflow::read(&document) {
                Ok(workflow) if found.iter().any(|other| other.is(&workflow)) => {}
                Ok(workflow) => found.push(workflow),
                Err(error) => {
                    let text = format!("it is not a workflow of Pipedream: {error:#}");
                    report.add(Kind::NotImported, &document.display().to_string(), text);
                }
            }
        }
    }
    Ok(found)
}

/// The paths of documents below a folder. Hidden folders and links are ignored.
fn collect(folder: &Path, documents: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && name != IGNORED {
            collect(&entry.path(), documents)?;
        } else if kind.is_file() && DOCUMENTS.contains(&name.as_ref()) {
            documents.push(entry.path());
        }
    }
    Ok(())
}
