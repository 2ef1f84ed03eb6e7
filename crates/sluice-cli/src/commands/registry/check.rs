//! `sluice registry check`

use std::{process::ExitCode, time::Instant};

use clap::Args;
use sluice_api::{ImportMode, ImportProgress};

use super::{
    check_report::CheckReport, import::NO_COMPONENTS, pack::pack, progress::ProgressDisplay,
    tree_args::TreeArgs, upload,
};
use crate::commands::{common::Common, output::show_stderr};

/// Check the components of a checkout, without importing them
///
/// Reports for each component whether it can be imported and loads with its npm packages, the packages, and the account fields that
/// its code reads; then the number of broken components by reason. The packages are installed on the server. The exit code is 1
/// if any component is broken, or if code reads account fields that an app does not have.
#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    tree: TreeArgs,
    /// Do not install packages and load the components. Much faster
    #[arg(long)]
    no_load: bool,
    /// Show only broken components
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn check(options: CheckOptions) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let client = options.common.connection.client()?;
    let tree = pack(&options.tree).await?;
    let mode = if options.no_load {
        ImportMode::Check
    } else {
        ImportMode::Load
    };
    let mut steps = upload::send(&client, tree, mode, false).await?;
    let mut display = ProgressDisplay::new(options.common.json);
    let mut report = CheckReport::new(!options.no_load);
    while let Some(step) = steps.next().await? {
        display.advance(&step)?;
        match step {
            ImportProgress::Components { components } => report.add(components),
            ImportProgress::Apps { apps } => report.apps = apps,
            _ => {}
        }
    }
    display.finish();
    report.show(start.elapsed(), options.common.json, options.quiet)?;
    if report.is_empty() {
        show_stderr(NO_COMPONENTS)?;
    }
    Ok(ExitCode::from(u8::from(!report.is_sound())))
}
