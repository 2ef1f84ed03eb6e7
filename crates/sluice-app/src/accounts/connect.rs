//! Connecting an account by OAuth 2, up to the provider: a request, and the consent of the user who made it.
//!
//! A request has an address, which anyone can open. The provider's address is given only to a browser with a session of the
//! user who made the request, and the answer is accepted only from that browser. Otherwise the account of a person who is
//! lured to the address would belong to the user who made it.

use std::collections::BTreeMap;

use reqwest::Url;
use serde_json::{Map, Value};
use sluice_engine::{
    EngineError,
    process::credentials::oauth::{self, Registration, Verifier},
};
use sluice_model::{AccountId, AppAuth, ConnectionId, KeyField, OauthSettings, UserId};
use sluice_store::{
    accounts, apps,
    apps::App,
    connections::{self, Connection, Stage},
};

use super::manage::{AccountView, Accounts};

const LIFETIME_MS: i64 = 10 * 60 * 1000;

/// A request to connect an account.
pub struct ConnectRequest {
    /// Slug or id.
    pub app: String,
    pub name: Option<String>,
    /// The account to reconnect, instead of a new one.
    pub account: Option<AccountId>,
    /// Fields of the account beside its tokens.
    pub fields: Map<String, Value>,
    /// Where the browser goes in the end; an address of this server.
    pub redirect_to: Option<String>,
}

/// A connection, with the names that a user knows it by.
pub struct ConnectionView {
    pub connection: Connection,
    /// None when it was removed meanwhile.
    pub app: Option<App>,
    /// The requested name, else the present one of an account that is reconnected.
    pub name: Option<String>,
}

impl Accounts {
    /// Starts a connection. Also returns the address at which the user confirms it.
    pub async fn connect(
        &self,
        user: &UserId,
        request: ConnectRequest,
    ) -> Result<(ConnectionView, String), EngineError> {
        // Only an app with a client has settings, and the client is in its row.
        let app = self.apps.get(request.app).await?;
        let settings = oauth_settings(&app)?;
        let redirect_to = request.redirect_to.map(|to| self.own_address(&to));
        let again = match &request.account {
            Some(id) => Some(self.get(user, id).await?),
            None => None,
        };
        if again.as_ref().is_some_and(|view| view.app.id != app.id) {
            return Err(EngineError::Invalid(
                "the account is one of another app".to_owned(),
            ));
        }
        let mut given = match &again {
            Some(view) => self.fields_of(view, settings)?,
            None => Map::new(),
        };
        given.extend(request.fields);
        let fields = checked_fields(settings, &given)?;
        let now = self.infra.now_ms();
        let connection = Connection {
            id: ConnectionId::random(&mut self.infra.ids.rng()),
            user_id: user.clone(),
            app_id: app.id.clone(),
            account_id: request.account,
            name: request.name,
            fields,
            verifier_sealed: None,
            redirect_to: redirect_to.transpose()?,
            stage: Stage::Pending,
            error: None,
            created_at: now,
            expires_at: now + LIFETIME_MS,
        };
        let row = connection.clone();
        self.infra
            .store
            .write(move |c| connections::insert(c, &row))
            .await?;
        let url = format!(
            "{}/accounts/connect/{}",
            self.infra.settings.public_url, connection.id
        );
        let present_name = again.map(|view| view.account.name);
        let view = ConnectionView {
            name: connection.name.clone().or(present_name),
            app: Some(app),
            connection,
        };
        Ok((view, url))
    }

    /// The fields that an account has beside its tokens.
    fn fields_of(
        &self,
        view: &AccountView,
        settings: &OauthSettings,
    ) -> Result<Map<String, Value>, EngineError> {
        let mut auth = self.auth(view)?;
        let fields = settings.fields.iter();
        Ok(fields
            .filter_map(|field| auth.remove_entry(&field.name))
            .collect())
    }

    pub async fn connection(
        &self,
        user: &UserId,
        id: &ConnectionId,
    ) -> Result<ConnectionView, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        let found = self.infra.store.read(move |c| {
            let Some(connection) = connections::get(c, &user, &id)? else {
                return Ok(None);
            };
            let account = match &connection.account_id {
                Some(account) => accounts::get(c, &user, account)?,
                None => None,
            };
            let name = connection.name.clone();
            Ok(Some(ConnectionView {
                app: apps::get(c, &connection.app_id)?,
                name: name.or(account.map(|account| account.name)),
                connection,
            }))
        });
        found.await?.ok_or(EngineError::NotFound("connection"))
    }

    /// Binds a connection to the user's browser, in place of an earlier one. Returns the address of the provider.
    pub async fn authorize_connection(
        &self,
        user: &UserId,
        id: &ConnectionId,
        browser: &str,
    ) -> Result<String, EngineError> {
        let view = self.connection(user, id).await?;
        let app = view.app.ok_or(EngineError::NotFound("app"))?;
        let settings = oauth_settings(&app)?;
        let registration = Registration::new(settings, &view.connection.fields, None)
            .map_err(EngineError::Invalid)?;
        let verifier = settings
            .pkce
            .then(|| Verifier::random(&mut self.infra.ids.rng()));
        let state = oauth::random_text(&mut self.infra.ids.rng());
        let url = oauth::authorization_url(
            &registration,
            &self.redirect_uri(),
            &state,
            verifier.as_ref(),
        )
        .map_err(EngineError::Internal)?;
        let vault = &self.infra.vault;
        let sealed = verifier
            .as_ref()
            .map(|verifier| vault.seal(verifier.as_str().as_bytes(), &mut self.infra.ids.rng()));
        let fingerprint = self.state_fingerprint(&state, browser);
        let (user, id, now) = (user.clone(), id.clone(), self.infra.now_ms());
        let authorized = self.infra.store.write(move |c| {
            connections::authorize(c, (&user, &id), &fingerprint, sealed.as_deref(), now)
        });
        if authorized.await? {
            Ok(url)
        } else {
            Err(EngineError::Conflict(
                "the connection has ended or expired; start again".to_owned(),
            ))
        }
    }

    /// Finds a connection only for a browser that has both.
    pub(super) fn state_fingerprint(&self, state: &str, browser: &str) -> String {
        self.infra.vault.fingerprint(&format!("{state} {browser}"))
    }

    /// The address that providers redirect browsers to.
    pub(super) fn redirect_uri(&self) -> String {
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

/// The fields of a new account beside its tokens, complete and fit for the addresses of the provider.
fn checked_fields(
    settings: &OauthSettings,
    given: &Map<String, Value>,
) -> Result<BTreeMap<String, String>, EngineError> {
    let invalid = |errors| EngineError::InvalidRecord {
        field: "fields",
        errors,
    };
    let fields = KeyField::check_all(&settings.fields, given).map_err(invalid)?;
    match settings.with_fields(&fields) {
        Ok(_) => Ok(fields),
        Err(error) => Err(invalid(vec![error])),
    }
}

pub(super) fn oauth_settings(app: &App) -> Result<&OauthSettings, EngineError> {
    match &app.auth {
        AppAuth::Oauth(settings) if settings.client_id.is_some() => Ok(settings),
        AppAuth::Oauth(_) => Err(EngineError::Invalid(format!(
            "no OAuth client is set up for {0}: the operator adds one with `sluice apps set-oauth {1}`. Until then enter a token by hand",
            app.name, app.slug
        ))),
        AppAuth::None | AppAuth::Keys { .. } => Err(EngineError::Invalid(
            "the app does not use OAuth: create its accounts with POST /accounts".to_owned(),
        )),
    }
}
