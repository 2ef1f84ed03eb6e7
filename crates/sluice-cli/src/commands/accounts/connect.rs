//! `sluice accounts connect`

use std::{sync::Arc, time::Duration};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value};
use sluice_api::{
    Account, App, AuthType, ConnectAccount, Connection, ConnectionStatus, CreateAccount,
    CustomField,
};

use crate::{
    client::{Client, ClientError, escaped},
    commands::{
        ask,
        common::Common,
        output::{sanitized, show, show_json, show_stderr},
        progress::during,
        prompt::{self, Check, Question},
    },
    exit::{NotFound, interruptible},
};

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Connect an account of an app
///
/// The keys of an app come from --field, or from prompts on a terminal. For an app with OAuth, the command prints a URL of the
/// console to open in a browser, and waits for the authorization. Sign in there with the same API key: for other users the URL
/// does nothing.
#[derive(Debug, Args)]
pub(super) struct ConnectOptions {
    /// Slug of the app
    app: String,
    /// Name of the account [default: the name of the app]
    #[arg(long)]
    name: Option<String>,
    /// Field of the app, such as `api_key=abc`
    #[arg(long = "field", value_name = "NAME=VALUE")]
    fields: Vec<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn connect(options: ConnectOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let path = format!("/apps/{}", escaped(&options.app));
    let Some(app) = client.find::<App>(&path).await? else {
        return Err(NotFound(format!(
            "no app {} on the server: its operator registers apps with POST /v1/apps",
            options.app
        ))
        .into());
    };
    let fields = parse_fields(&options.fields)?;
    let account = match app.auth_type {
        AuthType::Oauth if fields.is_empty() => {
            interruptible(connect_in_browser(&client, &app, options.name)).await?
        }
        AuthType::Oauth | AuthType::Keys | AuthType::None => {
            let body = CreateAccount {
                app: Some(app.name_slug.clone()),
                name: options.name,
                credentials: Some(prompt_fields(&app, fields, options.common.json).await?),
            };
            client.post("/accounts", &body).await?
        }
    };
    if options.common.json {
        return show_json(&account);
    }
    let name = sanitized(&account.name);
    Ok(show(&format!("Connected {name} ({})\n", account.id))?)
}

fn parse_fields(fields: &[String]) -> anyhow::Result<Map<String, Value>> {
    fields
        .iter()
        .map(|field| match field.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.into())),
            None => bail!("--field {field}: must be NAME=VALUE"),
        })
        .collect()
}

/// Asks for missing fields on a terminal. Otherwise the server reports them.
pub(crate) async fn prompt_fields(
    app: &App,
    mut values: Map<String, Value>,
    json: bool,
) -> anyhow::Result<Map<String, Value>> {
    if app.auth_type != AuthType::Keys || !ask::is_interactive(json) {
        return Ok(values);
    }
    let fields: Vec<CustomField> = serde_json::from_str(&app.custom_fields_json).context(
        "cannot read the fields of this app: check that server and command have the same version",
    )?;
    for field in fields {
        if values.contains_key(&field.name) {
            continue;
        }
        let value = prompt_field(&field).await?;
        if !value.is_empty() {
            values.insert(field.name, value.into());
        }
    }
    Ok(values)
}

async fn prompt_field(field: &CustomField) -> anyhow::Result<String> {
    let is_optional = field.optional;
    let label = sanitized(field.label.as_ref().unwrap_or(&field.name));
    let question = Question {
        message: if is_optional {
            format!("{label} (optional)")
        } else {
            label
        },
        help: field.description.as_deref().map(sanitized),
        default: field.default.clone(),
    };
    let check: Check =
        Arc::new(move |text| (text.is_empty() && !is_optional).then(|| "is required".to_owned()));
    if field.kind.as_deref() == Some("password") {
        prompt::hidden(question, check).await
    } else {
        prompt::text(question, check).await
    }
}

/// Waits for the authorization in a browser.
pub(crate) async fn connect_in_browser(
    client: &Client,
    app: &App,
    name: Option<String>,
) -> anyhow::Result<Account> {
    let body = ConnectAccount {
        app: Some(app.name_slug.clone()),
        name,
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
