//! What every command takes: how to show what it found, and where that is.

use clap::Args;

use crate::client::Connection;

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Print JSON, as the API has it
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
