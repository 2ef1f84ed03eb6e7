//! `sluice registry import`

use std::{process::ExitCode, time::Instant};

use clap::Args;
use sluice_api::{ImportMode, ImportProgress};

use super::{pack::pack, progress::ProgressDisplay, report::Report, tree_args::TreeArgs, upload};
use crate::commands::{common::Common, output::show_stderr};

pub(super) const NO_COMPONENTS: &str =
    "No components found: DIR needs folders like <app>/sources and <app>/actions.\n";

/// Import the components of a checkout into the registry, with their apps
///
/// DIR contains app folders with `sources` and `actions`, or a folder `components` with them, or is one such app. A tarball has
/// the same contents, compressed with gzip or not. npm packages are installed later, when a component is first deployed. A
/// repeated import handles only the changes. Broken components are reported, and the others are registered. The exit code is
/// 0 unless nothing could be registered. `sluice registry undo` undoes an import.
#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    #[command(flatten)]
    tree: TreeArgs,
    /// Show what would be imported, without importing it
    #[arg(long)]
    dry_run: bool,
    /// Remove components from the registry that are no longer in the tree
    #[arg(long)]
    prune: bool,
    /// Exit with code 1 if any component is broken
    #[arg(long)]
    strict: bool,
    /// Name of the checkout on the server, for one that moves between folders [default: its path]
    #[arg(long = "tree", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn import(options: ImportOptions) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let client = options.common.connection.client()?;
    let mut tree = pack(&options.tree).await?;
    if let Some(name) = options.name {
        tree.name = name;
    }
    let mode = if options.dry_run {
        ImportMode::Check
    } else {
        ImportMode::Import
    };
    let mut steps = upload::send(&client, tree, mode, options.prune).await?;
    let mut display = ProgressDisplay::new(options.common.json);
    let mut report = Report::new(options.dry_run);
    while let Some(step) = steps.next().await? {
        display.advance(&step)?;
        match step {
            ImportProgress::Begun {
                import_id, skipped, ..
            } => {
                report.import_id = import_id;
                report.passed_over = skipped;
            }
            ImportProgress::Components { components } => report.add(components),
            ImportProgress::Removed { files } => report.left = files,
            ImportProgress::Apps { .. }
            | ImportProgress::Finished
            | ImportProgress::Failed { .. } => {}
        }
    }
    display.finish();
    report.show(start.elapsed(), options.common.json)?;
    if report.is_empty() {
        show_stderr(NO_COMPONENTS)?;
    }
    let is_failure = if options.strict {
        report.has_broken()
    } else {
        report.is_all_broken()
    };
    Ok(ExitCode::from(u8::from(is_failure)))
}
