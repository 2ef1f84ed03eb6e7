//! The options of every client command: the output format and the connection.

use clap::Args;

use crate::client::Connection;

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Print JSON, as returned by the API
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
