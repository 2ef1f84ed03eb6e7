//! `sluice registry import`

mod batches;
mod bundling;
mod known;
mod progress;
mod recording;
mod report;
mod tree;

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode, time::Instant};

use clap::Args;
use sluice_api::{ImportComponents, ImportedComponent};

use self::{
    batches::Batch,
    known::{Known, State},
    progress::Progress,
    report::Report,
    tree::Tree,
};
use crate::{
    client::{Client, escaped},
    commands::{common::Common, output::complain},
};

/// Put the components of a checkout into the registry, with their apps
///
/// DIR has app folders with `sources` and `actions`, or a folder `components` that has them, or is one such app. Nothing of it
/// is installed: that happens when a component is first deployed. Run again, it takes up what has changed. Components that are
/// broken are reported, and the others registered all the same: the exit code is 0 unless nothing could be registered.
#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// The folder of the checkout
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Only these apps, by the names of their folders
    #[arg(long = "app", value_name = "NAME", value_delimiter = ',')]
    apps: Vec<String>,
    /// Say what would be imported, and import nothing
    #[arg(long)]
    dry_run: bool,
    /// Take what is no more in the folder out of the registry
    #[arg(long)]
    prune: bool,
    /// End with exit code 1 when anything is broken
    #[arg(long)]
    strict: bool,
    /// What the server calls the checkout, for one that is not always in the same folder [default: its path]
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
    let known = Known::of(&client, &name).await?;
    let mut report = Report::new(options.dry_run);
    let mut changed = Vec::new();
    for path in tree.files()? {
        match known.state(&tree, &path) {
            State::Unchanged(earlier) => report.unchanged(earlier),
            State::Changed => changed.push(path),
            State::New if tree.has_component(&path) => changed.push(path),
            State::New => report.passed_over += 1,
        }
    }
    let left: Vec<_> = known.left(&tree).collect();
    let mut progress = Progress::over(changed.len(), options.common.json);
    let mut sending = Sending {
        client: &client,
        tree: &name,
        left: left.iter().map(|file| file.path.clone()).collect(),
        dry_run: options.dry_run,
    };
    let mut batches = batches::of(&tree, changed);
    while let Some(batch) = batches.recv().await {
        let size = batch.len();
        report.add(sending.send(batch).await?);
        progress.advance(size)?;
    }
    progress.finish();
    let taken_over: BTreeSet<String> = report.keys().map(str::to_owned).collect();
    let pruned = options.prune && !options.dry_run;
    for file in left {
        if file
            .key
            .as_ref()
            .is_some_and(|key| taken_over.contains(key))
        {
            continue;
        }
        if pruned {
            sending.unregister(file.key.as_deref()).await?;
        }
        report.left(file.path.clone(), file.key.clone(), pruned);
    }
    report.show(start.elapsed(), options.common.json)?;
    let is_failure = if options.strict {
        report.has_broken()
    } else {
        report.has_nothing_sound()
    };
    if report.is_empty() {
        complain(
            "No components were found: DIR needs folders like <app>/sources and <app>/actions.\n",
        )?;
    }
    Ok(if is_failure {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The server's side of an import.
struct Sending<'a> {
    client: &'a Client,
    tree: &'a str,
    left: Vec<String>,
    dry_run: bool,
}

impl Sending<'_> {
    async fn send(&mut self, batch: Batch) -> anyhow::Result<Vec<ImportedComponent>> {
        if self.dry_run {
            return Ok(batch.into_iter().map(report::only_bundled).collect());
        }
        let request = ImportComponents {
            tree: Some(self.tree.to_owned()),
            components: batch,
            left: self.left.clone(),
        };
        Ok(self
            .client
            .post("/components/registry/import", &request)
            .await?)
    }

    /// A key that somebody else took out is as good as taken out.
    async fn unregister(&mut self, key: Option<&str>) -> anyhow::Result<()> {
        let Some(key) = key else { return Ok(()) };
        let path = format!("/components/registry/{}", escaped(key));
        match self.client.delete(&path).await {
            Err(error) if error.is_not_found() => Ok(()),
            removed => Ok(removed?),
        }
    }
}
