//! Verifying the files, so that one broken file does not keep `sluice apply` from the rest.

use std::path::Path;

use super::report::{Kind, Report};
use crate::commands::{
    code::CodeFolder,
    snapshot::{
        folder::{Folder, Runs},
        from_account::entry_path,
        ids::{source_name, workflow_name},
    },
    workflow_files::WorkflowFiles,
};

/// Removes the components and workflows that `sluice apply` could not read, and reports them. `root` has the files of `folder`.
pub(super) async fn remove_broken(
    folder: &mut Folder,
    root: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    remove_components(folder, root, report).await?;
    remove_workflows(folder, root, report).await;
    let gone: Vec<_> = folder.subscriptions.iter().cloned().collect();
    for subscription in gone {
        let ends = [&subscription.from, &subscription.to];
        if ends.into_iter().any(|end| is_missing(folder, end)) {
            let place = format!("subscription {} → {}", subscription.from, subscription.to);
            report.add(
                Kind::NotImported,
                &place,
                "one of its ends was not imported",
            );
            folder.subscriptions.remove(&subscription);
        }
    }
    Ok(())
}

async fn remove_components(
    folder: &mut Folder,
    root: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let stems: Vec<String> = folder.components.keys().cloned().collect();
    for stem in stems {
        let Some(code) = folder.components.get(&stem) else {
            continue;
        };
        let path = entry_path(&format!("components/{stem}"), code);
        let Err(errors) = CodeFolder::new(root)?.module(&path).await else {
            continue;
        };
        let text = format!("the code cannot be used: {}", errors.join("; "));
        report.add(Kind::NotImported, &path, text);
        report.keep_original(&path, &code.text);
        folder.components.remove(&stem);
        let uses = |runs: &Runs| matches!(runs, Runs::File { path: used, .. } if *used == path);
        for (slug, _) in folder
            .sources
            .extract_if(.., |_, source| uses(&source.runs))
        {
            let text = format!("its component {path} was not imported");
            report.add(Kind::NotImported, &source_name(&slug), text);
        }
    }
    Ok(())
}

async fn remove_workflows(folder: &mut Folder, root: &Path, report: &mut Report) {
    let slugs: Vec<String> = folder.workflows.keys().cloned().collect();
    for slug in slugs {
        let path = format!("workflows/{slug}/workflow.yaml");
        let Err(errors) = WorkflowFiles::read(&root.join(&path)).await else {
            continue;
        };
        let prefix = format!("{}/", root.display());
        let errors: Vec<String> = errors
            .iter()
            .map(|error| error.replace(&prefix, ""))
            .collect();
        let text = format!("its document is not valid here: {}", errors.join("; "));
        report.add(Kind::NotImported, &workflow_name(&slug), text);
        if let Some(workflow) = folder.workflows.remove(&slug) {
            report.keep_original(&path, &workflow.document);
            for (file, text) in &workflow.files {
                report.keep_original(&format!("workflows/{slug}/{file}"), text);
            }
        }
    }
}

fn is_missing(folder: &Folder, name: &str) -> bool {
    match name.split_once('/') {
        Some(("sources", slug)) => !folder.sources.contains_key(slug),
        Some(("workflows", slug)) => !folder.workflows.contains_key(slug),
        _ => false,
    }
}
