//! `sluice import …`

mod pipedream;

use std::process::ExitCode;

use clap::Subcommand;

use self::pipedream::PipedreamOptions;

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    Pipedream(PipedreamOptions),
}

pub(crate) async fn run(command: ImportCommand) -> anyhow::Result<ExitCode> {
    match command {
        ImportCommand::Pipedream(options) => pipedream::import(options).await,
    }
}
