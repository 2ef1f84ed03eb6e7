//! `sluice registry …`

mod check;
mod check_report;
mod import;
mod imports;
mod pack;
mod progress;
mod report;
mod tree_args;
mod undo;
mod upload;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    Import(import::ImportOptions),
    Check(check::CheckOptions),
    Imports(imports::ImportsOptions),
    Undo(undo::UndoOptions),
}

pub(crate) async fn run(command: RegistryCommand) -> anyhow::Result<ExitCode> {
    match command {
        RegistryCommand::Import(options) => import::import(options).await,
        RegistryCommand::Check(options) => check::check(options).await,
        RegistryCommand::Imports(options) => imports::list(options).await,
        RegistryCommand::Undo(options) => undo::undo(options).await,
    }
}
