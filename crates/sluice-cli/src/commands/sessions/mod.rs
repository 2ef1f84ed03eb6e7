//! `sluice sessions …`

mod end;
mod list;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    List(list::ListOptions),
    End(end::EndOptions),
}

pub(crate) async fn run(command: SessionsCommand) -> anyhow::Result<()> {
    match command {
        SessionsCommand::List(options) => list::list(options).await,
        SessionsCommand::End(options) => end::end(options).await,
    }
}
