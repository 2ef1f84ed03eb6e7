//! Connecting an account from within a form.

use std::sync::Arc;

use serde_json::Map;
use sluice_api::{Account, App, AuthType, CreateAccount};

use super::fill::Form;
use crate::{
    client::ClientError,
    commands::{
        accounts::{NoClient, connect_oauth, prompt_fields},
        output::{BAD, sanitized, show_stderr, styled},
        prompt::{self, Question},
    },
    exit::Interrupted,
};

impl Form<'_> {
    /// Connects a new account. On failure it shows the error and returns `None`.
    pub(super) async fn connect_account(&self, app: &App) -> anyhow::Result<Option<Account>> {
        let name = sanitized(&app.name);
        show_stderr(&format!("New account of {name}\n"))?;
        let connected = match app.auth_type {
            AuthType::Oauth => connect_oauth(self.client, app, None, Map::new(), false).await,
            AuthType::Keys | AuthType::None => self.connect_with_keys(app, name).await,
        };
        let error = match connected {
            Ok(account) => return Ok(Some(account)),
            Err(error) => error,
        };
        match error.downcast_ref() {
            Some(ClientError::Api { status, .. }) if *status != 401 => {}
            None if !error.is::<Interrupted>() && !error.is::<NoClient>() => {}
            _ => return Err(error),
        }
        show_stderr(&format!("{} {error:#}\n", styled(BAD, "!")))?;
        Ok(None)
    }

    async fn connect_with_keys(&self, app: &App, name: String) -> anyhow::Result<Account> {
        let credentials = prompt_fields(app, Map::new(), false).await?;
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
