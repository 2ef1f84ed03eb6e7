//! `sluice accounts connect`

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value};
use sluice_api::{App, AuthType, CreateAccount, CustomField};

use crate::{
    client::escaped,
    commands::{
        ask,
        common::Common,
        form::{ask_for_field, connect_in_browser},
        output::{harmless, show, show_json},
    },
    exit::{NotFound, interruptible},
};

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
            let connected = connect_in_browser(&client, &app, options.name);
            interruptible(connected)
                .await?
                .context("the account was not connected")?
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
async fn asked_fields(
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
        let value = ask_for_field(&field).await?;
        if !value.is_empty() {
            given.insert(field.name, value.into());
        }
    }
    Ok(given)
}
