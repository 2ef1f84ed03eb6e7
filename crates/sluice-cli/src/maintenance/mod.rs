//! Commands for the data of a server, run on its machine. They use the database themselves, and need no running server.

mod backup;
mod keys;
mod master_key;
mod migrate;
mod output;
mod passphrase;
mod restore;
mod source;
mod target_folder;

use clap::Subcommand;

use self::{
    backup::BackupOptions, keys::KeysCommand, migrate::MigrateOptions, restore::RestoreOptions,
};

#[derive(Subcommand)]
pub(crate) enum MaintenanceCommand {
    Backup(BackupOptions),
    Restore(RestoreOptions),
    Migrate(MigrateOptions),
    /// Replace the keys of a server
    #[command(subcommand)]
    Keys(KeysCommand),
}

pub(crate) fn run(command: MaintenanceCommand) -> anyhow::Result<()> {
    // For connections to PostgreSQL. The error only means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match command {
        MaintenanceCommand::Backup(options) => backup::backup(&options),
        MaintenanceCommand::Restore(options) => restore::restore(&options),
        MaintenanceCommand::Migrate(options) => migrate::migrate(&options),
        MaintenanceCommand::Keys(command) => keys::run(&command),
    }
}
