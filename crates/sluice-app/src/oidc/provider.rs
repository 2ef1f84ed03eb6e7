//! The provider: its description, its keys, and requests to it. Everything is bounded in time and size.
//!
//! Nothing is requested before somebody signs in, so a provider that is down does not disturb the server.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use reqwest::{Client, RequestBuilder, Url, redirect::Policy};
use serde::{Deserialize, de::DeserializeOwned};
use sluice_engine::process::credentials::oauth::{self, Registration, TokenAnswer, Verifier};
use sluice_infra::OidcSettings;
use sluice_model::{ClientAuthentication, OauthSettings};

use super::{id_token::Claims, keys::KeySet};

const TIMEOUT: Duration = Duration::from_secs(10);
const MOST_BYTES: usize = 256 * 1024;
/// The description and the keys are fetched again after this.
const FRESH_FOR: Duration = Duration::from_hours(1);
/// Unknown keys have the keys fetched again, at most this often: anyone can send a token with an unknown key.
const KEYS_AT_MOST_EVERY: Duration = Duration::from_secs(10);
/// A provider that does not answer is left alone for this.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(3);

/// The parts of a discovery document that are used.
#[derive(Debug, Clone, Deserialize)]
struct Description {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Default)]
struct Cache {
    description: Option<(Instant, Arc<Description>)>,
    keys: Option<(Instant, Arc<KeySet>)>,
    failure: Option<(Instant, String)>,
}

pub(super) struct Provider {
    settings: Arc<OidcSettings>,
    client: Client,
    tokens: oauth::Provider,
    cache: Mutex<Cache>,
    /// Requests for the description and the keys are made one at a time.
    fetching: tokio::sync::Mutex<()>,
}

impl Provider {
    pub(super) fn new(settings: Arc<OidcSettings>) -> Result<Provider, reqwest::Error> {
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .no_proxy()
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Provider {
            settings,
            client,
            tokens: oauth::Provider::new()?,
            cache: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// Where a browser is sent to.
    pub(super) async fn authorization_url(
        &self,
        redirect_uri: &str,
        state: &str,
        nonce: &str,
        verifier: &Verifier,
    ) -> Result<String, String> {
        let description = self.description().await?;
        let registration = self.registration(&description, Some(nonce))?;
        oauth::authorization_url(&registration, redirect_uri, state, Some(verifier))
    }

    /// Tokens for the code that a browser brought back.
    pub(super) async fn exchange(
        &self,
        code: &str,
        redirect_uri: &str,
        verifier: &Verifier,
    ) -> Result<TokenAnswer, String> {
        let description = self.description().await?;
        let registration = self.registration(&description, None)?;
        self.tokens
            .exchange(&registration, code, redirect_uri, Some(verifier))
            .await
            .map_err(|error| error.to_string())
    }

    /// Further claims about the person of an access token; `None` if the provider has no address for them.
    pub(super) async fn user_info(&self, access_token: &str) -> Result<Option<Claims>, String> {
        let description = self.description().await?;
        let Some(address) = &description.userinfo_endpoint else {
            return Ok(None);
        };
        let request = self.client.get(self.endpoint(address)?);
        let body = fetch(request.bearer_auth(access_token), "user information").await?;
        parse(&body, "user information").map(Some)
    }

    /// Its public keys. After an unknown one they are fetched again.
    pub(super) async fn keys(&self, after_unknown: bool) -> Result<Arc<KeySet>, String> {
        let fresh_for = if after_unknown {
            KEYS_AT_MOST_EVERY
        } else {
            FRESH_FOR
        };
        let cached = || fresh(self.cache.lock().keys.as_ref(), fresh_for);
        if let Some(keys) = cached() {
            return Ok(keys);
        }
        let description = self.description().await?;
        let _one_at_a_time = self.fetching.lock().await;
        if let Some(keys) = cached() {
            return Ok(keys);
        }
        let request = self.client.get(self.endpoint(&description.jwks_uri)?);
        let body = fetch(request, "its keys").await?;
        let keys = KeySet::parse(&body).ok_or("its keys cannot be read")?;
        let keys = Arc::new(keys);
        self.cache.lock().keys = Some((Instant::now(), Arc::clone(&keys)));
        Ok(keys)
    }

    async fn description(&self) -> Result<Arc<Description>, String> {
        let cached = || fresh(self.cache.lock().description.as_ref(), FRESH_FOR);
        if let Some(description) = cached() {
            return Ok(description);
        }
        let _one_at_a_time = self.fetching.lock().await;
        if let Some(description) = cached() {
            return Ok(description);
        }
        let failure = fresh(self.cache.lock().failure.as_ref(), PAUSE_AFTER_FAILURE);
        if let Some(reason) = failure {
            return Err(reason);
        }
        let discovered = self.discover().await.map(Arc::new);
        let mut cache = self.cache.lock();
        match &discovered {
            Ok(found) => cache.description = Some((Instant::now(), Arc::clone(found))),
            Err(reason) => cache.failure = Some((Instant::now(), reason.clone())),
        }
        discovered
    }

    async fn discover(&self) -> Result<Description, String> {
        let issuer = self.settings.issuer.trim_end_matches('/');
        let address = format!("{issuer}/.well-known/openid-configuration");
        let body = fetch(self.client.get(address), "its description").await?;
        let description: Description = parse(&body, "its description")?;
        if description.issuer != self.settings.issuer {
            return Err(
                "it has another name than the setting --oidc-issuer: the operator must set it exactly as the provider's \
                 description does"
                    .to_owned(),
            );
        }
        for address in [
            &description.authorization_endpoint,
            &description.token_endpoint,
            &description.jwks_uri,
        ] {
            self.endpoint(address)?;
        }
        Ok(description)
    }

    /// An address of the provider, which is encrypted if the provider's own is.
    fn endpoint(&self, address: &str) -> Result<Url, String> {
        let url = Url::parse(address).ok();
        let is_plain = self.settings.issuer.starts_with("http://");
        url.filter(|url| url.scheme() == "https" || (is_plain && url.scheme() == "http"))
            .ok_or_else(|| "its description has an address without https".to_owned())
    }

    fn registration(
        &self,
        description: &Description,
        nonce: Option<&str>,
    ) -> Result<Registration, String> {
        let methods = description.token_endpoint_auth_methods_supported.as_ref();
        let offers = |name: &str| methods.is_some_and(|all| all.iter().any(|it| it == name));
        let by_post = offers("client_secret_post") && !offers("client_secret_basic");
        let parameters = nonce.map(|nonce| ("nonce".to_owned(), nonce.to_owned()));
        let settings = OauthSettings {
            authorization_url: description.authorization_endpoint.clone(),
            token_url: description.token_endpoint.clone(),
            revocation_url: None,
            userinfo_url: None,
            uid_field: "sub".to_owned(),
            client_id: Some(self.settings.client_id.clone()),
            scopes: self.settings.scopes.clone(),
            scope_separator: " ".to_owned(),
            authorize_params: parameters.into_iter().collect(),
            token_params: BTreeMap::new(),
            client_authentication: if by_post {
                ClientAuthentication::Post
            } else {
                ClientAuthentication::Basic
            },
            pkce: true,
            fields: Vec::new(),
            developer_url: None,
        };
        let secret = self.settings.client_secret.clone();
        Registration::new(&settings, &BTreeMap::new(), secret)
    }
}

fn fresh<T: Clone>(cached: Option<&(Instant, T)>, limit: Duration) -> Option<T> {
    let (since, value) = cached?;
    (since.elapsed() < limit).then(|| value.clone())
}

fn parse<T: DeserializeOwned>(body: &[u8], part: &str) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|_| format!("{part} cannot be read"))
}

/// Addresses are left out of errors, which people without an account see.
async fn fetch(request: RequestBuilder, part: &str) -> Result<Vec<u8>, String> {
    let broken = |error: reqwest::Error| {
        let reason = if error.is_timeout() {
            "it does not answer in time"
        } else {
            "it cannot be reached"
        };
        reason.to_owned()
    };
    let request = request.header(reqwest::header::ACCEPT, "application/json");
    let mut response = request.send().await.map_err(broken)?;
    let status = response.status();
    if !status.is_success() {
        return Err(format!("it answered {status} when asked for {part}"));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(format!("{part} is too large"));
        }
    }
    Ok(body)
}
