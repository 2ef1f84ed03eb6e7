//! `sluice registry import`

mod batches;
mod history;
mod linking;
mod progress;
mod recording;
mod report;
mod tree;

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode, time::Instant};

use clap::Args;
use sluice_api::{ImportComponents, ImportedComponent};

use self::{
    batches::Batch,
    history::{FileState, ImportHistory},
    progress::Progress,
    report::Report,
    tree::Tree,
};
use crate::{
    client::{Client, escaped},
    commands::{common::Common, output::show_stderr},
};

/// Import the components of a checkout into the registry, with their apps
///
/// DIR contains app folders with `sources` and `actions`, or a folder `components` with them, or is one such app. npm packages are
/// installed later, when a component is first deployed. A repeated import handles only the changes. Broken components are
/// reported, and the others are registered. The exit code is 0 unless nothing could be registered.
#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// Folder of the checkout
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Import only these apps, by folder name
    #[arg(long = "app", value_name = "NAME", value_delimiter = ',')]
    apps: Vec<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    dry_run: bool,
    /// Remove components from the registry that are no longer in the folder
    #[arg(long)]
    prune: bool,
    /// Exit with code 1 if any component is broken
    #[arg(long)]
    strict: bool,
    /// Name of the checkout on the server, for one that moves between folders [default: its path]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn import(options: ImportOptions) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let client = options.common.connection.client()?;
    let tree = Tree::at(&options.folder, &options.apps)?;
    let name = options.tree.clone().unwrap_or_else(|| tree.name());
    let history = ImportHistory::fetch(&client, &name).await?;
    let mut report = Report::new(options.dry_run);
    let mut changed = Vec::new();
    for path in tree.files()? {
        match history.state(&tree, &path) {
            FileState::Unchanged(earlier) => report.unchanged(earlier),
            FileState::Changed => changed.push(path),
            FileState::New if tree.has_component(&path) => changed.push(path),
            FileState::New => report.passed_over += 1,
        }
    }
    let removed: Vec<_> = history.removed(&tree).collect();
    let mut progress = Progress::new(changed.len(), options.common.json);
    let mut session = ImportSession {
        client: &client,
        tree: &name,
        left: removed.iter().map(|file| file.path.clone()).collect(),
        dry_run: options.dry_run,
    };
    let mut batches = batches::read_in_batches(&tree, changed);
    while let Some(batch) = batches.recv().await {
        let size = batch.components.len();
        report.add(session.send(batch).await?);
        progress.advance(size)?;
    }
    progress.finish();
    let current_keys: BTreeSet<String> = report.keys().map(str::to_owned).collect();
    let pruned = options.prune && !options.dry_run;
    for file in removed {
        if file
            .key
            .as_ref()
            .is_some_and(|key| current_keys.contains(key))
        {
            continue;
        }
        if pruned {
            session.unregister(file.key.as_deref()).await?;
        }
        report.removed(file.path.clone(), file.key.clone(), pruned);
    }
    report.show(start.elapsed(), options.common.json)?;
    let is_failure = if options.strict {
        report.has_broken()
    } else {
        report.is_all_broken()
    };
    if report.is_empty() {
        show_stderr(
            "No components found: DIR needs folders like <app>/sources and <app>/actions.\n",
        )?;
    }
    Ok(if is_failure {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The requests of an import.
struct ImportSession<'a> {
    client: &'a Client,
    tree: &'a str,
    left: Vec<String>,
    dry_run: bool,
}

impl ImportSession<'_> {
    async fn send(&mut self, batch: Batch) -> anyhow::Result<Vec<ImportedComponent>> {
        if self.dry_run {
            let components = batch.components.into_iter();
            return Ok(components.map(report::dry_run_result).collect());
        }
        let Batch { components, texts } = batch;
        let request = ImportComponents {
            tree: Some(self.tree.to_owned()),
            texts,
            components,
            left: self.left.clone(),
        };
        Ok(self
            .client
            .post("/components/registry/import", &request)
            .await?)
    }

    /// A key that is already removed is no error.
    async fn unregister(&mut self, key: Option<&str>) -> anyhow::Result<()> {
        let Some(key) = key else { return Ok(()) };
        let path = format!("/components/registry/{}", escaped(key));
        match self.client.delete(&path).await {
            Err(error) if error.is_not_found() => Ok(()),
            removed => Ok(removed?),
        }
    }
}
