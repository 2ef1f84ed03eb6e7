//! Connecting an account by OAuth 2, from the provider: the user's browser comes back with a code, which becomes tokens.
//!
//! The callback is authenticated by its state, which is valid once, and by the browser that the state was made for.

use std::net::IpAddr;

use sluice_engine::{
    EngineError,
    process::credentials::{
        StoredCredentials, Tokens,
        oauth::{self, Registration, Verifier},
    },
};
use sluice_model::{AccountId, ConnectionError, ConnectionErrorCode};
use sluice_store::{
    accounts, apps,
    apps::App,
    audit::{Action, Credential, TargetKind},
    connections::{self, Connection},
    users,
};

use super::{
    connect::oauth_settings,
    manage::{Accounts, new_account},
};
use crate::{
    audit::{Actor, Target},
    detached,
};

/// The provider's answer, which the browser brings back.
pub enum ProviderAnswer {
    Code(String),
    Error {
        code: String,
        description: Option<String>,
    },
}

/// The result of a connection, for the user in front of the browser.
pub struct ConnectResult {
    /// Where the browser continues, if the request said so.
    pub redirect_to: Option<String>,
    /// The account and its name.
    pub outcome: Result<(AccountId, String), ConnectionError>,
}

impl Accounts {
    /// Handles the provider's callback. `None` for a state that is forged, used, expired or of another browser.
    pub async fn finish_connection(
        &self,
        state: &str,
        browser: &str,
        answer: ProviderAnswer,
        address: Option<IpAddr>,
    ) -> Result<Option<ConnectResult>, EngineError> {
        let fingerprint = self.state_fingerprint(state, browser);
        let accounts = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let now = accounts.infra.now_ms();
            let taken = accounts.infra.store.write(move |c| {
                let Some(connection) = connections::take(c, &fingerprint, now)? else {
                    return Ok(None);
                };
                let app = apps::get(c, &connection.app_id)?;
                let user = users::get(c, &connection.user_id)?;
                Ok(user.map(|user| (connection, app, user)))
            });
            let Some((connection, app, user)) = taken.await? else {
                return Ok(None);
            };
            // The browser has a session of this user.
            let actor = Actor::new(&user, Credential::Session, address);
            let outcome = match app {
                Some(app) => accounts.exchange(&actor, &connection, &app, answer).await,
                None => Err(not_ready("the app is not registered any more")),
            };
            if let Err(error) = &outcome {
                let (id, error) = (connection.id.clone(), error.clone());
                accounts
                    .infra
                    .store
                    .write(move |c| connections::finish(c, &id, Err(&error)))
                    .await?;
            }
            Ok(Some(ConnectResult {
                redirect_to: connection.redirect_to,
                outcome,
            }))
        })
        .await
    }

    async fn exchange(
        &self,
        actor: &Actor,
        connection: &Connection,
        app: &App,
        answer: ProviderAnswer,
    ) -> Result<(AccountId, String), ConnectionError> {
        let rejected = |ConnectionError { code, message }| {
            let message = format!("{} did not connect the account: {message}", app.name);
            ConnectionError::new(code, message)
        };
        let code = match answer {
            ProviderAnswer::Code(code) => code,
            ProviderAnswer::Error { code, description } => {
                let error = oauth::provider_error(&code, description.as_deref());
                return Err(rejected(error));
            }
        };
        let settings = oauth_settings(app).map_err(|error| not_ready(error.to_string()))?;
        let verifier = self.verifier(connection)?;
        let secret = self.credentials.client_secret(app).map_err(internal)?;
        let registration =
            Registration::new(settings, &connection.fields, secret).map_err(not_ready)?;
        let provider = self.credentials.provider();
        let tokens = provider
            .exchange(
                &registration,
                &code,
                &self.redirect_uri(),
                verifier.as_ref(),
            )
            .await
            .map_err(rejected)?;
        let uid = provider
            .uid(&registration, &tokens.access_token)
            .await
            .map_err(rejected)?;
        let now = self.infra.now_ms();
        let mut tokens = Tokens::first(tokens, uid, now);
        tokens.extra.extend(connection.fields.clone());
        let credentials = StoredCredentials::Oauth(tokens);
        let stored = self.store_connected(actor, connection, app, &credentials);
        let stored = stored.await.map_err(|error| internal(error.to_string()))?;
        stored.ok_or_else(|| {
            let message = "the account was deleted meanwhile";
            ConnectionError::new(ConnectionErrorCode::AccountDeleted, message)
        })
    }

    /// Stores the account and finishes the connection in one transaction. None when the account to connect again is gone.
    async fn store_connected(
        &self,
        actor: &Actor,
        connection: &Connection,
        app: &App,
        credentials: &StoredCredentials,
    ) -> Result<Option<(AccountId, String)>, EngineError> {
        let user = connection.user_id.clone();
        let name = connection.name.clone().or_else(|| credentials.uid());
        let renewal = credentials.seal(
            &self.infra.vault,
            &mut self.infra.ids.rng(),
            self.infra.now_ms(),
        );
        let new = new_account(&user, app, name, renewal.clone(), &self.infra);
        let (id, again) = (connection.id.clone(), connection.account_id.clone());
        let (owner, renamed) = (user.clone(), connection.name.clone());
        let action = match again {
            Some(_) => Action::AccountReconnect,
            None => Action::AccountConnect,
        };
        let mut change = self.recorded(actor, action, &new, app);
        let stored = self.infra.store.write(move |c| {
            let account = match again {
                None => {
                    accounts::insert(c, &new)?;
                    Some((new.id, new.name))
                }
                Some(account) => {
                    accounts::replace(c, &owner, &account, &renewal)?;
                    if let Some(name) = &renamed {
                        accounts::rename(c, &owner, &account, name, renewal.at)?;
                    }
                    accounts::get(c, &owner, &account)?.map(|account| (account.id, account.name))
                }
            };
            if let Some((account, name)) = &account {
                connections::finish(c, &id, Ok(account))?;
                change.set_target(Target::new(TargetKind::Account, account, name));
                change.record(c)?;
            }
            Ok(account)
        });
        let account = stored.await?;
        if let Some((id, _)) = &account {
            self.credentials.forget(&user, id);
        }
        Ok(account)
    }

    fn verifier(&self, connection: &Connection) -> Result<Option<Verifier>, ConnectionError> {
        let Some(sealed) = &connection.verifier_sealed else {
            return Ok(None);
        };
        let opened = self.infra.vault.open(sealed).ok();
        opened
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|text| Some(Verifier::from_text(text)))
            .ok_or_else(|| internal("the stored state of the connection cannot be read"))
    }
}

fn not_ready(message: impl Into<String>) -> ConnectionError {
    ConnectionError::new(ConnectionErrorCode::AppNotReady, message)
}

fn internal(message: impl Into<String>) -> ConnectionError {
    ConnectionError::new(ConnectionErrorCode::InternalError, message)
}
