//! Connecting an account while somebody waits.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use serde_json::Map;
use sluice_api::{
    Account, App, AuthType, ConnectAccount, Connection, ConnectionStatus, CreateAccount,
    CustomField,
};

use super::Form;
use crate::{
    client::{Client, ClientError},
    commands::{
        output::{BAD, complain, harmless, styled},
        progress::during,
        prompt::{self, Check, Question},
    },
};

const GLANCE: Duration = Duration::from_secs(1);

impl Form<'_> {
    /// A new account; none when it came to nothing, which is told.
    pub(super) async fn connect_account(&self, app: &App) -> anyhow::Result<Option<Account>> {
        match app.auth_type {
            AuthType::Oauth => connect_in_browser(self.client, app, None).await,
            AuthType::Keys | AuthType::None => self.connect_with_keys(app).await,
        }
    }

    async fn connect_with_keys(&self, app: &App) -> anyhow::Result<Option<Account>> {
        let name = harmless(&app.name);
        complain(&format!("A new account of {name}\n"))?;
        let fields: Vec<CustomField> = serde_json::from_str(&app.custom_fields_json)
            .with_context(|| format!("the server describes {name} in words that are not known"))?;
        let mut credentials = Map::new();
        for field in &fields {
            let value = ask_for_field(field).await?;
            if !value.is_empty() {
                credentials.insert(field.name.clone(), value.into());
            }
        }
        let of_name = Question {
            message: "Name of the account".to_owned(),
            help: None,
            default: Some(name),
        };
        let name = prompt::text(of_name, Arc::new(|_| None)).await?;
        let account = CreateAccount {
            app: Some(app.name_slug.clone()),
            name: Some(name),
            credentials: Some(credentials),
        };
        match self.client.post("/accounts", &account).await {
            Ok(account) => Ok(Some(account)),
            Err(
                error @ ClientError::Refused {
                    status: 400..=422, ..
                },
            ) => {
                complain(&format!("{} {error}\n", styled(BAD, "!")))?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A new account once somebody has agreed in a browser; none when it came to nothing, which is told.
pub(crate) async fn connect_in_browser(
    client: &Client,
    app: &App,
    name: Option<String>,
) -> anyhow::Result<Option<Account>> {
    let asked = ConnectAccount {
        app: Some(app.name_slug.clone()),
        name,
        ..ConnectAccount::default()
    };
    let begun: Connection = client.post("/accounts/connect", &asked).await?;
    let url = begun.connect_url.unwrap_or_default();
    let name = harmless(&app.name);
    complain(&format!(
        "Open this address in a browser to connect {name}:\n  {url}\n"
    ))?;
    let path = format!("/accounts/connect/{}", begun.id);
    let ended: Connection = during("Waiting for the browser", async {
        loop {
            let connection: Connection = client.get(&path).await?;
            if connection.status != ConnectionStatus::Pending {
                return Ok::<_, ClientError>(connection);
            }
            tokio::time::sleep(GLANCE).await;
        }
    })
    .await?;
    if let Some(account) = ended.account_id {
        return Ok(Some(client.get(&format!("/accounts/{account}")).await?));
    }
    let reason = ended.error.unwrap_or_else(|| "it took too long".to_owned());
    complain(&format!("{} {}\n", styled(BAD, "!"), harmless(&reason)))?;
    Ok(None)
}

/// One of the values that make up an account of an app with keys.
pub(crate) async fn ask_for_field(field: &CustomField) -> anyhow::Result<String> {
    let is_optional = field.optional;
    let label = field.label.as_ref().unwrap_or(&field.name);
    let question = Question {
        message: harmless(label),
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
