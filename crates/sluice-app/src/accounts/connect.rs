//! Connecting an account by OAuth 2: the user's browser goes to the provider and comes back with a code.
//!
//! The callback is authenticated by its state alone. The state is random, known only to that browser and the provider,
//! valid once and for ten minutes, and bound to the user.

use reqwest::Url;
use sluice_engine::{
    EngineError,
    process::credentials::{
        StoredCredentials, Tokens,
        oauth::{self, Registration, Verifier},
    },
};
use sluice_model::{AccountId, AppAuth, ConnectionId, OauthSettings, UserId};
use sluice_store::{
    accounts, apps,
    apps::App,
    connections::{self, Connection, Stage},
};

use super::manage::{Accounts, new_account};
use crate::detached;

const LIFETIME_MS: i64 = 10 * 60 * 1000;

/// A request to connect an account.
pub struct ConnectRequest {
    /// Slug or id.
    pub app: String,
    pub name: Option<String>,
    /// The account to reconnect, instead of a new one.
    pub account: Option<AccountId>,
    /// Where the browser goes in the end; an address of this server.
    pub redirect_to: Option<String>,
}

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
    /// The account and its name, or an error message.
    pub outcome: Result<(AccountId, String), String>,
}

impl Accounts {
    /// Starts a connection. Also returns the address to open in a browser.
    pub async fn connect(
        &self,
        user: &UserId,
        request: ConnectRequest,
    ) -> Result<(Connection, String), EngineError> {
        let app = self.apps.get(request.app).await?;
        let settings = oauth_settings(&app)?;
        let redirect_to = request.redirect_to.map(|to| self.own_address(&to));
        if let Some(id) = &request.account {
            let view = self.get(user, id).await?;
            if view.app.id != app.id {
                return Err(EngineError::Invalid(
                    "the account is one of another app".to_owned(),
                ));
            }
        }
        let verifier = settings
            .pkce
            .then(|| Verifier::random(&mut self.infra.ids.rng()));
        let state = oauth::random_text(&mut self.infra.ids.rng());
        let vault = &self.infra.vault;
        let now = self.infra.now_ms();
        let connection = Connection {
            id: ConnectionId::random(&mut self.infra.ids.rng()),
            user_id: user.clone(),
            app_id: app.id.clone(),
            account_id: request.account,
            name: request.name,
            verifier_sealed: verifier.as_ref().map(|verifier| {
                vault.seal(verifier.as_str().as_bytes(), &mut self.infra.ids.rng())
            }),
            redirect_to: redirect_to.transpose()?,
            stage: Stage::Pending,
            error: None,
            created_at: now,
            expires_at: now + LIFETIME_MS,
        };
        let url =
            oauth::authorization_url(settings, &self.redirect_uri(), &state, verifier.as_ref())
                .map_err(EngineError::Internal)?;
        let (row, fingerprint) = (connection.clone(), vault.fingerprint(&state));
        self.infra
            .store
            .write(move |c| connections::insert(c, &row, &fingerprint))
            .await?;
        Ok((connection, url))
    }

    pub async fn connection(
        &self,
        user: &UserId,
        id: &ConnectionId,
    ) -> Result<Connection, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.infra
            .store
            .read(move |c| connections::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("connection"))
    }

    /// Handles the provider's callback. `None` for a state that is forged, used or expired.
    pub async fn finish_connection(
        &self,
        state: &str,
        answer: ProviderAnswer,
    ) -> Result<Option<ConnectResult>, EngineError> {
        let fingerprint = self.infra.vault.fingerprint(state);
        let accounts = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let now = accounts.infra.now_ms();
            let taken = accounts.infra.store.write(move |c| {
                let Some(connection) = connections::take(c, &fingerprint, now)? else {
                    return Ok(None);
                };
                let app = apps::get(c, &connection.app_id)?;
                Ok(Some((connection, app)))
            });
            let Some((connection, app)) = taken.await? else {
                return Ok(None);
            };
            let outcome = match app {
                Some(app) => accounts.exchange(&connection, &app, answer).await,
                None => Err("the app is not registered any more".to_owned()),
            };
            if let Err(error) = &outcome {
                let (id, message) = (connection.id.clone(), error.clone());
                accounts
                    .infra
                    .store
                    .write(move |c| connections::finish(c, &id, Err(&message)))
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
        connection: &Connection,
        app: &App,
        answer: ProviderAnswer,
    ) -> Result<(AccountId, String), String> {
        let rejected = |reason: &str| format!("{} did not connect the account: {reason}", app.name);
        let code = match answer {
            ProviderAnswer::Code(code) => code,
            ProviderAnswer::Error { code, description } => {
                return Err(rejected(&oauth::in_words(&code, description.as_deref())));
            }
        };
        let settings = oauth_settings(app).map_err(|error| error.to_string())?;
        let verifier = self.verifier(connection)?;
        let registration = Registration {
            settings,
            secret: self.credentials.client_secret(app)?,
        };
        let provider = self.credentials.provider();
        let tokens = provider
            .exchange(
                &registration,
                &code,
                &self.redirect_uri(),
                verifier.as_ref(),
            )
            .await
            .map_err(|error| rejected(&error.to_string()))?;
        let uid = provider
            .uid(settings, &tokens.access_token)
            .await
            .map_err(|error| rejected(&error.to_string()))?;
        let now = self.infra.now_ms();
        let credentials = StoredCredentials::Oauth(Tokens::first(tokens, uid, now));
        self.store_connected(connection, app, &credentials)
            .await
            .map_err(|error| error.to_string())
    }

    /// Stores the account and finishes the connection in one transaction.
    async fn store_connected(
        &self,
        connection: &Connection,
        app: &App,
        credentials: &StoredCredentials,
    ) -> Result<(AccountId, String), EngineError> {
        let user = connection.user_id.clone();
        let name = connection.name.clone().or_else(|| credentials.uid());
        let renewal = credentials.seal(
            &self.infra.vault,
            &mut self.infra.ids.rng(),
            self.infra.now_ms(),
        );
        let new = new_account(&user, app, name, renewal.clone(), &self.infra.ids);
        let (id, again) = (connection.id.clone(), connection.account_id.clone());
        let (owner, renamed) = (user.clone(), connection.name.clone());
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
            if let Some((account, _)) = &account {
                connections::finish(c, &id, Ok(account))?;
            }
            Ok(account)
        });
        let account = stored
            .await?
            .ok_or_else(|| EngineError::Conflict("the account was deleted meanwhile".to_owned()))?;
        self.credentials.forget(&user, &account.0);
        Ok(account)
    }

    fn verifier(&self, connection: &Connection) -> Result<Option<Verifier>, String> {
        let Some(sealed) = &connection.verifier_sealed else {
            return Ok(None);
        };
        let opened = self.infra.vault.open(sealed).ok();
        opened
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|text| Some(Verifier::from_text(text)))
            .ok_or_else(|| "what was remembered of the connection cannot be read".to_owned())
    }

    /// The address that providers redirect browsers to.
    fn redirect_uri(&self) -> String {
        format!("{}/oauth/callback", self.infra.settings.public_url)
    }

    /// An absolute address of this server. Other addresses are rejected, so that this is no open redirect.
    fn own_address(&self, address: &str) -> Result<String, EngineError> {
        let own = Url::parse(&self.infra.settings.public_url)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        own.join(address)
            .ok()
            .filter(|url| url.origin() == own.origin())
            .map(String::from)
            .ok_or_else(|| {
                EngineError::BadRequest("redirect_to must be an address of this server".to_owned())
            })
    }
}

fn oauth_settings(app: &App) -> Result<&OauthSettings, EngineError> {
    match &app.auth {
        AppAuth::Oauth(settings) => Ok(settings),
        AppAuth::None | AppAuth::Keys { .. } => Err(EngineError::Invalid(
            "the app does not use OAuth: create its accounts with POST /accounts".to_owned(),
        )),
    }
}
