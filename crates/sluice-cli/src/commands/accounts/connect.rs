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
        output::{complain, harmless, show, show_json},
        progress::during,
        prompt::{self, Check, Question},
    },
    exit::{NotFound, interruptible},
};

const GLANCE: Duration = Duration::from_secs(1);

/// Connect an account of an app
///
/// An app with keys takes them from --field, and asks for the others on a terminal. For an app with OAuth it prints the
/// address to open in a browser, and waits until somebody has agreed there.
#[derive(Debug, Args)]
pub(super) struct ConnectOptions {
    /// Slug of the app
    app: String,
    /// What to call the account [default: the name of the app]
    #[arg(long)]
    name: Option<String>,
    /// One of the app's fields, such as `api_key=abc`
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
            "the server knows no app {}: its operator registers apps with POST /v1/apps",
            options.app
        ))
        .into());
    };
    let given = given_fields(&options.fields)?;
    let account = match app.auth_type {
        AuthType::Oauth if given.is_empty() => {
            interruptible(in_browser(&client, &app, options.name)).await?
        }
        AuthType::Oauth | AuthType::Keys | AuthType::None => {
            let body = CreateAccount {
                app: Some(app.name_slug.clone()),
                name: options.name,
                credentials: Some(asked_fields(&app, given, options.common.json).await?),
            };
            client.post("/accounts", &body).await?
        }
    };
    if options.common.json {
        return show_json(&account);
    }
    let name = harmless(&account.name);
    Ok(show(&format!("Connected {name} ({})\n", account.id))?)
}

fn given_fields(fields: &[String]) -> anyhow::Result<Map<String, Value>> {
    fields
        .iter()
        .map(|field| match field.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.into())),
            None => bail!("--field {field}: write NAME=VALUE"),
        })
        .collect()
}

/// With what is missing, when somebody is there to say it; otherwise the server says what is.
pub(crate) async fn asked_fields(
    app: &App,
    mut given: Map<String, Value>,
    json: bool,
) -> anyhow::Result<Map<String, Value>> {
    if app.auth_type != AuthType::Keys || !ask::is_possible(json) {
        return Ok(given);
    }
    let fields: Vec<CustomField> = serde_json::from_str(&app.custom_fields_json)
        .context("the server describes the fields of this app in words that are not known")?;
    for field in fields {
        if given.contains_key(&field.name) {
            continue;
        }
        let value = asked_field(&field).await?;
        if !value.is_empty() {
            given.insert(field.name, value.into());
        }
    }
    Ok(given)
}

async fn asked_field(field: &CustomField) -> anyhow::Result<String> {
    let is_optional = field.optional;
    let label = harmless(field.label.as_ref().unwrap_or(&field.name));
    let question = Question {
        message: if is_optional {
            format!("{label} (optional)")
        } else {
            label
        },
        help: field.description.as_deref().map(harmless),
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

/// Waits until somebody has agreed in a browser. An account that came to nothing is an error that says why.
pub(crate) async fn in_browser(
    client: &Client,
    app: &App,
    name: Option<String>,
) -> anyhow::Result<Account> {
    let body = ConnectAccount {
        app: Some(app.name_slug.clone()),
        name,
        ..ConnectAccount::default()
    };
    let begun: Connection = client.post("/accounts/connect", &body).await?;
    let url = begun.connect_url.unwrap_or_default();
    complain(&format!("Open this address in a browser:\n  {url}\n"))?;
    let path = format!("/accounts/connect/{}", begun.id);
    let waiting = async {
        loop {
            let connection: Connection = client.get(&path).await?;
            if connection.status != ConnectionStatus::Pending {
                return Ok::<_, ClientError>(connection);
            }
            tokio::time::sleep(GLANCE).await;
        }
    };
    let ended = during("Waiting for the browser", waiting).await?;
    match ended.account_id {
        Some(account) => Ok(client.get(&format!("/accounts/{account}")).await?),
        None => {
            let reason = ended.error.as_deref().unwrap_or("it took too long");
            bail!("the account was not connected: {}", harmless(reason))
        }
    }
}
