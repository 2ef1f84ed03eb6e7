//! The arguments of the program: its commands and their options.

use clap::{Parser, Subcommand};

use crate::{
    commands::ClientCommand, maintenance::MaintenanceCommand, man_pages::ManPagesOptions,
    options::ServeOptions, version::version,
};

/// Run event sources on your own machine: components that receive webhooks or poll APIs and emit events.
#[derive(Parser)]
#[command(name = "sluice", version = version(), max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start the server
    Serve(Box<ServeOptions>),
    #[command(flatten)]
    Maintenance(Box<MaintenanceCommand>),
    #[command(flatten)]
    Client(Box<ClientCommand>),
    #[command(hide = true)]
    ManPages(ManPagesOptions),
}
