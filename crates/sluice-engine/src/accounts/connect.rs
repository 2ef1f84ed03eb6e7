//! Connecting an account by OAuth 2: the user's browser goes to the provider and comes back with a code.
//!
//! What comes back is believed for its state alone: random, known to nobody but that browser and the provider, good once
//! and for ten minutes, and bound to the user who asked.

use reqwest::Url;
use sluice_model::{AccountId, AppAuth, ConnectionId, OauthSettings, UserId};
use sluice_store::{
    accounts, apps,
    apps::App,
    connections::{self, Connection, Stage},
};

use super::{
    credentials::{Credentials, Tokens},
    manage::new_account,
    oauth::{self, Registration, Verifier},
};
use crate::{Engine, error::EngineError};

const LIFETIME_MS: i64 = 10 * 60 * 1000;

/// What a user wants to connect.
pub struct Connecting {
    /// Slug or id.
    pub app: String,
    pub name: Option<String>,
    /// The account to connect again, in place of a new one.
    pub account: Option<AccountId>,
    /// Where the browser goes in the end: an address of this server.
    pub redirect_to: Option<String>,
}

/// What a browser brings back from a provider.
pub enum ProviderAnswer {
    Code(String),
    Error {
        code: String,
        description: Option<String>,
    },
}

/// How a connection ended, for the person in front of the browser.
pub struct Returned {
    /// Where to go on, when the one who asked said so.
    pub redirect_to: Option<String>,
    /// The account, and what it is called; or what went wrong, in words.
    pub outcome: Result<(AccountId, String), String>,
}

impl Engine {
    /// Begins a connection; gives it and the address to open in a browser.
    pub async fn begin_connection(
        &self,
        user: &UserId,
        request: Connecting,
    ) -> Result<(Connection, String), EngineError> {
        let app = self.app(request.app).await?;
        let settings = oauth_settings(&app)?;
        let redirect_to = request.redirect_to.map(|to| self.own_address(&to));
        if let Some(id) = &request.account {
            let view = self.account(user, id).await?;
            if view.app.id != app.id {
                return Err(EngineError::Invalid(
                    "the account is one of another app".to_owned(),
                ));
            }
        }
        let verifier = settings.pkce.then(Verifier::random);
        let state = oauth::random_text();
        let vault = &self.context.infra.vault;
        let now = self.context.infra.clock.now_ms();
        let connection = Connection {
            id: ConnectionId::random(&mut rand::rng()),
            user_id: user.clone(),
            app_id: app.id.clone(),
            account_id: request.account,
            name: request.name,
            verifier_sealed: verifier
                .as_ref()
                .map(|verifier| vault.seal(verifier.as_str().as_bytes())),
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
        self.context
            .infra
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
        self.context
            .infra
            .store
            .read(move |c| connections::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("connection"))
    }

    /// Takes what a browser brought back. A state that is forged, used or too old is `None`.
    pub async fn finish_connection(
        &self,
        state: &str,
        answer: ProviderAnswer,
    ) -> Result<Option<Returned>, EngineError> {
        let fingerprint = self.context.infra.vault.fingerprint(state);
        self.to_the_end(|engine| async move {
            let now = engine.context.infra.clock.now_ms();
            let taken = engine.context.infra.store.write(move |c| {
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
                Some(app) => engine.exchange(&connection, &app, answer).await,
                None => Err("the app is not registered any more".to_owned()),
            };
            if let Err(error) = &outcome {
                let (id, words) = (connection.id.clone(), error.clone());
                engine
                    .context
                    .infra
                    .store
                    .write(move |c| connections::finish(c, &id, Err(&words)))
                    .await?;
            }
            Ok(Some(Returned {
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
        let refused = |why: &str| format!("{} did not connect the account: {why}", app.name);
        let code = match answer {
            ProviderAnswer::Code(code) => code,
            ProviderAnswer::Error { code, description } => {
                return Err(refused(&oauth::in_words(&code, description.as_deref())));
            }
        };
        let settings = oauth_settings(app).map_err(|error| error.to_string())?;
        let known = &self.context.accounts;
        let verifier = self.verifier(connection)?;
        let registration = Registration {
            settings,
            secret: known.client_secret(app)?,
        };
        let tokens = known
            .provider
            .exchange(
                &registration,
                &code,
                &self.redirect_uri(),
                verifier.as_ref(),
            )
            .await
            .map_err(|error| refused(&error.to_string()))?;
        let uid = known
            .provider
            .uid(settings, &tokens.access_token)
            .await
            .map_err(|error| refused(&error.to_string()))?;
        let now = self.context.infra.clock.now_ms();
        let credentials = Credentials::Oauth(Tokens::first(tokens, uid, now));
        self.store_connected(connection, app, &credentials)
            .await
            .map_err(|error| error.to_string())
    }

    /// The account and the end of the connection are one transaction.
    async fn store_connected(
        &self,
        connection: &Connection,
        app: &App,
        credentials: &Credentials,
    ) -> Result<(AccountId, String), EngineError> {
        let user = connection.user_id.clone();
        let name = connection.name.clone().or_else(|| credentials.uid());
        let renewal =
            credentials.seal(&self.context.infra.vault, self.context.infra.clock.now_ms());
        let new = new_account(&user, app, name, renewal.clone());
        let (id, again) = (connection.id.clone(), connection.account_id.clone());
        let (owner, renamed) = (user.clone(), connection.name.clone());
        let stored = self.context.infra.store.write(move |c| {
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
        self.context.accounts.forget(&user, &account.0);
        Ok(account)
    }

    fn verifier(&self, connection: &Connection) -> Result<Option<Verifier>, String> {
        let Some(sealed) = &connection.verifier_sealed else {
            return Ok(None);
        };
        let opened = self.context.infra.vault.open(sealed).ok();
        opened
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|text| Some(Verifier::from_text(text)))
            .ok_or_else(|| "what was remembered of the connection cannot be read".to_owned())
    }

    /// Where providers send browsers back to.
    fn redirect_uri(&self) -> String {
        format!("{}/oauth/callback", self.context.infra.settings.public_url)
    }

    /// An address of this server, whole; anything else would make it a springboard to anywhere.
    fn own_address(&self, address: &str) -> Result<String, EngineError> {
        let own = Url::parse(&self.context.infra.settings.public_url)
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
