//! Commands for the data of a server, run on its machine. They use the database themselves, and need no running server.

mod audit;
mod backup;
mod master_key;
mod migrate;
mod output;
mod passphrase;
mod restore;
mod rotate_master;
mod source;
mod target_folder;

use clap::Subcommand;

pub(crate) use self::{
    audit::MachineChange,
    master_key::KeysOf,
    rotate_master::{RotateMasterOptions, rotate_master},
};
use self::{backup::BackupOptions, migrate::MigrateOptions, restore::RestoreOptions};

#[derive(Subcommand)]
pub(crate) enum MaintenanceCommand {
    Backup(BackupOptions),
    Restore(RestoreOptions),
    Migrate(MigrateOptions),
}

pub(crate) fn run(command: MaintenanceCommand) -> anyhow::Result<()> {
    install_tls();
    match command {
        MaintenanceCommand::Backup(options) => backup::backup(&options),
        MaintenanceCommand::Restore(options) => restore::restore(&options),
        MaintenanceCommand::Migrate(options) => migrate::migrate(&options),
    }
}

/// For connections to PostgreSQL. An error only means that a provider is installed already.
pub(crate) fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
