//! `sluice actions …`

mod replay;
mod run;
mod runs;
mod text;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ActionsCommand {
    Run(Box<run::RunOptions>),
    Runs(runs::RunsOptions),
    Replay(replay::ReplayOptions),
}

pub(crate) async fn run(command: ActionsCommand) -> anyhow::Result<ExitCode> {
    match command {
        ActionsCommand::Run(options) => return run::run(*options).await,
        ActionsCommand::Runs(options) => runs::runs(options).await?,
        ActionsCommand::Replay(options) => replay::replay(options).await?,
    }
    Ok(ExitCode::SUCCESS)
}
