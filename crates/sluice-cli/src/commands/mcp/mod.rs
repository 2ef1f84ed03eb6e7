//! `sluice mcp`: the Model Context Protocol over standard input and output, for programs that start their servers.

mod bridge;
mod message;

use clap::Args;

use crate::client::Connection;

const EXAMPLES: &str = "\
Examples:
  sluice mcp --profile assistant";

/// Connect an AI agent to the server, over standard input and output
///
/// Passes the messages of the Model Context Protocol on to the server, with the API key of the profile. Use a named key to limit
/// what the agent can do: `sluice keys create assistant --scope read,run`. Applications that can open URLs need no command: they
/// use the address /mcp of the server, with the key as bearer token.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct McpOptions {
    #[command(flatten)]
    connection: Connection,
}

pub(crate) async fn mcp(options: McpOptions) -> anyhow::Result<()> {
    let client = options.connection.client()?;
    bridge::run(client).await
}
