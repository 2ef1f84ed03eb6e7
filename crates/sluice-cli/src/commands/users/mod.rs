//! `sluice users …`

mod create;
mod delete;
mod list;
mod reset_key;
mod rotate_key;
mod target;
mod update;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    List(list::ListOptions),
    Create(create::CreateOptions),
    Update(update::UpdateOptions),
    RotateKey(rotate_key::RotateKeyOptions),
    ResetKey(reset_key::ResetKeyOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(command: UsersCommand) -> anyhow::Result<()> {
    match command {
        UsersCommand::List(options) => list::list(options).await,
        UsersCommand::Create(options) => create::create(options).await,
        UsersCommand::Update(options) => update::update(options).await,
        UsersCommand::ResetKey(options) => reset_key::reset_key(options).await,
        UsersCommand::RotateKey(options) => rotate_key::rotate_key(options).await,
        UsersCommand::Delete(options) => delete::delete(options).await,
    }
}
