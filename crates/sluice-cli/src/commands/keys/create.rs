//! `sluice keys create`

use std::time::Duration;

use clap::{Args, ValueEnum};
use sluice_api::{CreateNamedKey, CreatedNamedKey, KeyScope};

use crate::commands::{
    common::Common,
    output::{show, show_json, show_stderr},
};

const EXAMPLES: &str = "\
Examples:
  sluice keys create monitoring --scope read
  sluice keys create ci --scope read,deploy --expires-in 90d
  sluice keys create assistant --scope read,run
  sluice keys create ci --scope read,deploy --json | jq -r .api_key";

/// Create a named API key and print it
///
/// The key is shown only now: the server keeps no copy. Deploying needs the scopes `read` and `deploy`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateOptions {
    /// Name of the key, to recognize it later
    #[arg(value_name = "NAME")]
    name: String,
    /// Scopes of the key, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        required = true,
        value_name = "SCOPE"
    )]
    scope: Vec<Scope>,
    /// Time until the key expires, such as `90d` [default: it does not expire]
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    expires_in: Option<Duration>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// Read and follow everything of the account
    Read,
    /// Run tools: the actions that you enabled for programs such as AI agents
    Run,
    /// Change and run sources, workflows, components, accounts, webhooks and subscriptions
    Deploy,
    /// Manage keys, sessions and, as an operator, users, registry and server
    Operate,
}

pub(super) async fn create(options: CreateOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let scopes = options.scope.into_iter().map(|scope| match scope {
        Scope::Read => KeyScope::Read,
        Scope::Run => KeyScope::Run,
        Scope::Deploy => KeyScope::Deploy,
        Scope::Operate => KeyScope::Operate,
    });
    let body = CreateNamedKey {
        name: Some(options.name),
        scopes: Some(scopes.collect()),
        expires_in: options.expires_in.map(|time| time.as_secs()),
    };
    let created: CreatedNamedKey = client.post("/users/me/keys", &body).await?;
    if options.common.json {
        return show_json(&created);
    }
    show(&format!("{}\n", created.api_key))?;
    let name = created.key.name;
    Ok(show_stderr(&format!(
        "Created key {name}. Save it now: it is not shown again\n"
    ))?)
}
