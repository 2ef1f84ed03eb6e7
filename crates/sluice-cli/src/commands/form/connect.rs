//! Connecting an account while somebody fills in a form.

use std::sync::Arc;

use serde_json::Map;
use sluice_api::{Account, App, AuthType, CreateAccount};

use super::Form;
use crate::{
    client::ClientError,
    commands::{
        accounts::{asked_fields, in_browser},
        output::{BAD, complain, harmless, styled},
        prompt::{self, Question},
    },
    exit::Interrupted,
};

impl Form<'_> {
    /// A new account; none when it came to nothing, which is told.
    pub(super) async fn connect_account(&self, app: &App) -> anyhow::Result<Option<Account>> {
        let name = harmless(&app.name);
        complain(&format!("A new account of {name}\n"))?;
        let connected = match app.auth_type {
            AuthType::Oauth => in_browser(self.client, app, None).await,
            AuthType::Keys | AuthType::None => self.connect_with_keys(app, name).await,
        };
        let error = match connected {
            Ok(account) => return Ok(Some(account)),
            Err(error) => error,
        };
        match error.downcast_ref() {
            Some(ClientError::Refused { status, .. }) if *status != 401 => {}
            None if !error.is::<Interrupted>() => {}
            _ => return Err(error),
        }
        complain(&format!("{} {error:#}\n", styled(BAD, "!")))?;
        Ok(None)
    }

    async fn connect_with_keys(&self, app: &App, name: String) -> anyhow::Result<Account> {
        let credentials = asked_fields(app, Map::new(), false).await?;
        let question = Question {
            message: "Name of the account".to_owned(),
            help: None,
            default: Some(name),
        };
        let account = CreateAccount {
            app: Some(app.name_slug.clone()),
            name: Some(prompt::text(question, Arc::new(|_| None)).await?),
            credentials: Some(credentials),
        };
        Ok(self.client.post("/accounts", &account).await?)
    }
}
