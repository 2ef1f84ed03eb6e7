//! `sluice apps …`

mod add;
mod client_secret;
mod field_spec;
mod hints;
mod list;
mod oauth_flags;
mod pairs;
mod remove;
mod set_oauth;
mod show;
mod target;

use clap::Subcommand;

pub(super) use self::hints::no_client;

#[derive(Debug, Subcommand)]
pub(crate) enum AppsCommand {
    List(list::ListOptions),
    Show(show::ShowOptions),
    SetOauth(set_oauth::SetOauthOptions),
    Add(Box<add::AddOptions>),
    Remove(remove::RemoveOptions),
}

pub(crate) async fn run(command: AppsCommand) -> anyhow::Result<()> {
    match command {
        AppsCommand::List(options) => list::list(options).await,
        AppsCommand::Show(options) => show::show_app(options).await,
        AppsCommand::SetOauth(options) => set_oauth::set_oauth(options).await,
        AppsCommand::Add(options) => add::add(*options).await,
        AppsCommand::Remove(options) => remove::remove(options).await,
    }
}
