//! `sluice apps set-oauth`

use anyhow::bail;
use clap::Args;
use sluice_api::{App, AuthType, SetOauthClient};

use super::{
    client_secret::ClientSecret,
    hints::steps_with_client,
    oauth_flags::OAUTH,
    pairs::pairs,
    show::client_lines,
    target::{find, path, require_operator},
};
use crate::commands::{
    common::Common,
    output::{fields, sanitized, show, show_json, show_stderr},
};

const EXAMPLES: &str = "\
Examples:
  sluice apps show github
  sluice apps set-oauth github --client-id Iv1.abc123
  sluice apps set-oauth github --client-id Iv1.abc123 --client-secret-file secret.txt
  pass show github-client | sluice apps set-oauth github --client-id Iv1.abc123 --client-secret-file -
  sluice apps set-oauth gitlab --client-id abc123 --field base_api_url=gitlab.example.com";
const NO_SECRET: &str = "No client secret was given. If the provider issued one, repeat the command with --client-secret-file FILE\n";

/// Set up the OAuth client of an app (operator only)
///
/// Register a client at the provider first, with the redirect URI that `sluice apps show` prints. On a terminal the command asks
/// for the client secret. The secret is stored encrypted and never shown.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SetOauthOptions {
    /// Slug of the app
    #[arg(value_name = "SLUG")]
    app: String,
    /// Client id from the provider
    #[arg(long, value_name = "ID", help_heading = OAUTH)]
    client_id: String,
    #[command(flatten)]
    secret: ClientSecret,
    /// Scope to request. Repeat it for more [default: those of the app]
    #[arg(long = "scope", value_name = "SCOPE", help_heading = OAUTH)]
    scopes: Vec<String>,
    /// Default of a field of accounts, such as the host of a self-hosted provider
    #[arg(
        long = "field",
        value_name = "NAME=VALUE",
        help_heading = OAUTH
    )]
    fields: Vec<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn set_oauth(options: SetOauthOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let defaults = pairs("--field", &options.fields)?;
    let client = options.common.connection.client()?;
    require_operator(&client).await?;
    let before = find(&client, &options.app).await?;
    let name = sanitized(&before.name);
    if before.auth_type != AuthType::Oauth {
        bail!(
            "{name} does not use OAuth: see `sluice apps show {}`",
            options.app
        );
    }
    let secret = options.secret.read(&name, json).await?;
    let is_without_secret = secret.is_none() && !before.oauth.is_some_and(|it| it.is_ready);
    let body = SetOauthClient {
        client_id: Some(options.client_id),
        client_secret: secret,
        scopes: (!options.scopes.is_empty()).then_some(options.scopes),
        fields: defaults,
    };
    let path = path(&before.name_slug) + "/oauth_client";
    let app: App = client.put(&path, &body).await?;
    if json {
        return show_json(&app);
    }
    if is_without_secret {
        show_stderr(NO_SECRET)?;
    }
    show_client(&app)
}

/// Shows the client of an app, and the next steps.
pub(super) fn show_client(app: &App) -> anyhow::Result<()> {
    let name = format!("{} ({})", sanitized(&app.name), app.name_slug);
    let mut lines = vec![("app", name)];
    lines.extend(app.oauth.iter().flat_map(client_lines));
    show(&fields(&lines))?;
    Ok(show_stderr(&steps_with_client(app))?)
}
