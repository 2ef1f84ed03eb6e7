//! Which server, and as whom.

use anyhow::Context;
use clap::Args;

use super::Client;

/// Everything that decides where requests go. A profile that is kept in a file fills in here what flags and environment leave
/// open.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// Address of the server
    #[arg(
        long,
        env = "SLUICE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:3000"
    )]
    url: String,

    /// API key of the account
    #[arg(
        long,
        env = "SLUICE_API_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    api_key: Option<String>,
}

impl Connection {
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        let api_key = self.api_key.clone().context(
            "no API key: give --api-key, or set SLUICE_API_KEY to the key that the server showed at its first start",
        )?;
        Client::new(&self.url, api_key)
    }
}
