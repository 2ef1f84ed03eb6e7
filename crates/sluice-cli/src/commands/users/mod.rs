//! `sluice users …`

mod create;
mod delete;
mod list;
mod rotate_key;
mod target;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    List(list::ListOptions),
    Create(create::CreateOptions),
    RotateKey(rotate_key::RotateKeyOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(command: UsersCommand) -> anyhow::Result<()> {
    match command {
        UsersCommand::List(options) => list::list(options).await,
        UsersCommand::Create(options) => create::create(options).await,
        UsersCommand::RotateKey(options) => rotate_key::rotate_key(options).await,
        UsersCommand::Delete(options) => delete::delete(options).await,
    }
}
