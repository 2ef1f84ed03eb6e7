//! Connecting an account of an OAuth app: in a browser, or with a token.

use std::{fmt, time::Duration};

use anyhow::bail;
use serde_json::{Map, Value};
use sluice_api::{Account, App, ConnectAccount, Connection, ConnectionStatus, CreateAccount};

use super::fields::prompt_fields;
use crate::{
    client::{Client, ClientError},
    commands::{
        apps::no_client,
        ask,
        output::{CHANGED, sanitized, show_stderr, styled},
        progress::during,
        prompt::{self, Question, required},
    },
};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
const ACCESS_TOKEN: &str = "oauth_access_token";

/// The app has no OAuth client, and the user gave no token.
#[derive(Debug)]
pub(crate) struct NoClient(String);

impl fmt::Display for NoClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoClient {}

/// Connects an account: with a token if there is one, else in a browser. Without a client, the command offers to enter a token.
pub(crate) async fn connect_oauth(
    client: &Client,
    app: &App,
    name: Option<String>,
    fields: Map<String, Value>,
    json: bool,
) -> anyhow::Result<Account> {
    let is_ready = app.oauth.as_ref().is_some_and(|oauth| oauth.is_ready);
    let has_token = fields.contains_key(ACCESS_TOKEN);
    if is_ready && !has_token {
        let fields = prompt_fields(app, fields, json).await?;
        return connect_in_browser(client, app, name, fields).await;
    }
    let mut credentials = fields;
    if !has_token {
        let token = offer_token(app, json).await?;
        credentials.insert(ACCESS_TOKEN.to_owned(), token.into());
    }
    let body = CreateAccount {
        app: Some(app.name_slug.clone()),
        name,
        credentials: Some(prompt_fields(app, credentials, json).await?),
    };
    Ok(client.post("/accounts", &body).await?)
}

/// Asks for a token, after the explanation why.
async fn offer_token(app: &App, json: bool) -> anyhow::Result<String> {
    let name = sanitized(&app.name);
    let reason = no_client(app);
    if !ask::is_interactive(json) {
        let message =
            format!("{reason}. Until then give a token with --field {ACCESS_TOKEN}=@FILE");
        return Err(NoClient(message).into());
    }
    show_stderr(&format!("{} {reason}\n", styled(CHANGED, "!")))?;
    let offer = Question {
        message: format!("Enter a token of {name} by hand?"),
        help: Some("Sluice cannot renew it when it expires".to_owned()),
        default: None,
    };
    if !prompt::yes_or_no(offer, Some(true)).await? {
        return Err(NoClient(reason).into());
    }
    let question = Question {
        message: format!("Access token of {name}"),
        help: Some("It is not shown".to_owned()),
        default: None,
    };
    let token = prompt::hidden(question, required()).await?;
    Ok(token.trim().to_owned())
}

/// Waits for the authorization in a browser.
async fn connect_in_browser(
    client: &Client,
    app: &App,
    name: Option<String>,
    fields: Map<String, Value>,
) -> anyhow::Result<Account> {
    let body = ConnectAccount {
        app: Some(app.name_slug.clone()),
        name,
        fields,
        ..ConnectAccount::default()
    };
    let started: Connection = client.post("/accounts/connect", &body).await?;
    let url = started.connect_url.unwrap_or_default();
    show_stderr(&format!(
        "Open this URL in a browser, signed in to the console with the same API key:\n  {url}\n"
    ))?;
    let path = format!("/accounts/connect/{}", started.id);
    let waiting = async {
        loop {
            let connection: Connection = client.get(&path).await?;
            if connection.status != ConnectionStatus::Pending {
                return Ok::<_, ClientError>(connection);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let ended = during("Waiting for the browser", waiting).await?;
    let Some(account) = ended.account_id else {
        let reason = ended.error.as_deref().unwrap_or("timed out");
        bail!("the account was not connected: {}", sanitized(reason));
    };
    Ok(client.get(&format!("/accounts/{account}")).await?)
}
