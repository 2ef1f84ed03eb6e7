//! `sluice accounts connect`

use clap::Args;
use sluice_api::{App, AuthType, CreateAccount};

use super::{
    fields::{parse_fields, prompt_fields},
    oauth::connect_oauth,
};
use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{sanitized, show, show_json},
    },
    exit::{NotFound, interruptible},
};

/// Connect an account of an app
///
/// The fields of an app come from --field, or from prompts on a terminal. For an app with OAuth, the command prints a URL of the
/// console to open in a browser, and waits for the authorization. Sign in there with the same API key: for other users the URL
/// does nothing.
///
/// If the operator has set up no OAuth client, or if you have a token already, give it as the field `oauth_access_token`, with
/// `oauth_refresh_token` and `expires_in` if there are any.
#[derive(Debug, Args)]
pub(super) struct ConnectOptions {
    /// Slug of the app
    app: String,
    /// Name of the account [default: the name of the app]
    #[arg(long)]
    name: Option<String>,
    /// Field of the app, such as `region=eu`. NAME=@FILE reads the value from a file, and NAME=@- from standard input
    #[arg(long = "field", value_name = "NAME=VALUE")]
    fields: Vec<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn connect(options: ConnectOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let client = options.common.connection.client()?;
    let path = format!("/apps/{}", escaped(&options.app));
    let Some(app) = client.find::<App>(&path).await? else {
        return Err(NotFound(format!(
            "no app {} on the server: search with `sluice apps list --query TEXT`. Its operator adds apps with `sluice apps add`",
            options.app
        ))
        .into());
    };
    let fields = parse_fields(&options.fields)?;
    let account = match app.auth_type {
        AuthType::Oauth => {
            let connecting = connect_oauth(&client, &app, options.name, fields, json);
            interruptible(connecting).await?
        }
        AuthType::Keys | AuthType::None => {
            let body = CreateAccount {
                app: Some(app.name_slug.clone()),
                name: options.name,
                credentials: Some(prompt_fields(&app, fields, json).await?),
            };
            client.post("/accounts", &body).await?
        }
    };
    if json {
        return show_json(&account);
    }
    let name = sanitized(&account.name);
    Ok(show(&format!("Connected {name} ({})\n", account.id))?)
}
