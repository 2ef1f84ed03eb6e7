//! `sluice keys …`

mod create;
mod delete;
mod list;

use clap::Subcommand;

use crate::maintenance::{RotateMasterOptions, rotate_master};

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    List(list::ListOptions),
    Create(create::CreateOptions),
    Delete(delete::DeleteOptions),
    RotateMaster(RotateMasterOptions),
}

pub(crate) async fn run(command: KeysCommand) -> anyhow::Result<()> {
    match command {
        KeysCommand::List(options) => list::list(options).await,
        KeysCommand::Create(options) => create::create(options).await,
        KeysCommand::Delete(options) => delete::delete(options).await,
        // The database is not to be used on a thread of the async runtime.
        KeysCommand::RotateMaster(options) => {
            tokio::task::spawn_blocking(move || rotate_master(&options)).await?
        }
    }
}
