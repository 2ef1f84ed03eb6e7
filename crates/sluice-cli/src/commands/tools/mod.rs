//! `sluice tools …`

mod disable;
mod enable;
mod list;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    List(list::ListOptions),
    Enable(enable::EnableOptions),
    Disable(disable::DisableOptions),
}

pub(crate) async fn run(command: ToolsCommand) -> anyhow::Result<()> {
    match command {
        ToolsCommand::List(options) => list::list(options).await,
        ToolsCommand::Enable(options) => enable::enable(options).await,
        ToolsCommand::Disable(options) => disable::disable(options).await,
    }
}
