//! `sluice registry …`

mod import;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    Import(import::ImportOptions),
}

pub(crate) async fn run(command: RegistryCommand) -> anyhow::Result<ExitCode> {
    match command {
        RegistryCommand::Import(options) => import::import(options).await,
    }
}
