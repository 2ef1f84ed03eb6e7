//! `sluice notifications …`

mod rotate_secret;
mod set;
mod show;
mod test;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum NotificationsCommand {
    Show(show::ShowOptions),
    Set(set::SetOptions),
    RotateSecret(rotate_secret::RotateSecretOptions),
    Test(test::TestOptions),
}

pub(crate) async fn run(command: NotificationsCommand) -> anyhow::Result<()> {
    match command {
        NotificationsCommand::Show(options) => show::show_settings(options).await,
        NotificationsCommand::Set(options) => set::set(options).await,
        NotificationsCommand::RotateSecret(options) => rotate_secret::rotate_secret(options).await,
        NotificationsCommand::Test(options) => test::test(options).await,
    }
}
