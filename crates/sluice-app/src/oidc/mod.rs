//! Sign-in with OpenID Connect: the authorization code flow with PKCE, state and nonce, at the provider of the settings.
//!
//! An attempt is kept in a sealed cookie of its browser, not in the database: requests without an account must not write. The
//! provider must send that browser back. Its codes and our attempts end within minutes.

mod attempt;
mod id_token;
mod keys;
mod people;
mod provider;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use reqwest::Url;
use sluice_engine::{
    EngineError,
    process::credentials::oauth::{self, TokenAnswer, Verifier},
};
use sluice_infra::{Infra, OidcSettings};
use sluice_model::SessionToken;
use sluice_store::identities::Identity;
use tokio::sync::Semaphore;

use self::{
    attempt::Attempt,
    id_token::{Claims, Expected, TokenError, verify},
    provider::Provider,
};
use crate::{
    sessions::{ActiveSession, Client, Sessions},
    users::Users,
};

/// Sign-ins at once. Each may wait for the provider.
const MOST_AT_ONCE: usize = 32;

const NOT_VALID: &str = "This answer of the provider is not valid here. It is older than ten minutes, or another browser asked \
     for it. Sign in again.";

/// The way to the provider.
pub struct Departure {
    pub url: String,
    /// For the cookie of the browser.
    pub attempt: String,
}

/// The parameters with which a browser comes back.
#[derive(Debug, Default)]
pub struct ProviderReturn {
    pub state: Option<String>,
    pub code: Option<String>,
    pub error: Option<String>,
    pub error_description: Option<String>,
    pub issuer: Option<String>,
}

/// A person who is signed in.
pub struct Arrival {
    pub session: ActiveSession,
    pub token: SessionToken,
    /// An address of this server.
    pub return_to: String,
}

/// Why a person is not signed in, in words for that person.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The server cannot do it at the moment.
    #[error("{0}")]
    Unavailable(&'static str),
    #[error("{0}")]
    Refused(String),
}

impl From<EngineError> for SignInError {
    fn from(error: EngineError) -> SignInError {
        tracing::warn!(%error, "sign-in with OpenID Connect failed");
        SignInError::Unavailable("The server cannot sign you in at the moment. Try again.")
    }
}

#[derive(Clone)]
pub struct Oidc(Arc<Inner>);

struct Inner {
    infra: Infra,
    users: Users,
    sessions: Sessions,
    settings: Arc<OidcSettings>,
    provider: Provider,
    permits: Semaphore,
}

impl Oidc {
    /// `None` without a provider in the settings.
    pub fn new(
        infra: &Infra,
        users: &Users,
        sessions: &Sessions,
    ) -> Result<Option<Oidc>, EngineError> {
        let Some(settings) = &infra.settings.oidc else {
            return Ok(None);
        };
        let settings = Arc::new(settings.clone());
        let provider = Provider::new(Arc::clone(&settings))
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(Some(Oidc(Arc::new(Inner {
            infra: infra.clone(),
            users: users.clone(),
            sessions: sessions.clone(),
            settings,
            provider,
            permits: Semaphore::new(MOST_AT_ONCE),
        }))))
    }

    /// The provider's name for people.
    pub fn name(&self) -> &str {
        &self.0.settings.name
    }

    /// Begins to sign in. In the end the browser goes on to `return_to`, if that is an address of this server.
    pub async fn begin(&self, return_to: &str) -> Result<Departure, SignInError> {
        let inner = &self.0;
        let _permit = inner.permit()?;
        let (state, nonce, verifier) = {
            let rng = &mut inner.infra.ids.rng();
            let (state, nonce) = (oauth::random_text(rng), oauth::random_text(rng));
            (state, nonce, Verifier::random(rng))
        };
        let url = inner
            .provider
            .authorization_url(&inner.redirect_uri(), &state, &nonce, &verifier)
            .await
            .map_err(|reason| inner.refused(&reason))?;
        let attempt = Attempt {
            state,
            nonce,
            verifier: verifier.as_str().to_owned(),
            return_to: own_address(&inner.infra.settings.public_url, return_to),
            expires_at: inner.infra.now_ms() + attempt::LIFETIME_MS,
        };
        Ok(Departure {
            url,
            attempt: attempt.seal(&inner.infra),
        })
    }

    /// Ends an attempt of this browser. On success there is a new session.
    pub async fn finish(
        &self,
        attempt: Option<&str>,
        returned: ProviderReturn,
        client: Client,
    ) -> Result<Arrival, SignInError> {
        let address = client.address;
        let outcome = self.sign_in(attempt, returned, client).await;
        if let Err(SignInError::Refused(_)) = &outcome {
            self.0.sessions.record_failure(address).await;
        }
        outcome
    }

    async fn sign_in(
        &self,
        attempt: Option<&str>,
        returned: ProviderReturn,
        client: Client,
    ) -> Result<Arrival, SignInError> {
        let inner = &self.0;
        let attempt = attempt.and_then(|sealed| Attempt::open(sealed, &inner.infra));
        let attempt = attempt.filter(|it| returned.state.as_ref() == Some(&it.state));
        let attempt = attempt.ok_or_else(|| SignInError::Refused(NOT_VALID.to_owned()))?;
        let is_other = |issuer: &String| *issuer != inner.settings.issuer;
        if returned.issuer.as_ref().is_some_and(is_other) {
            return Err(inner.refused("the answer is from another issuer"));
        }
        if let Some(code) = returned.error {
            let description = returned.error_description.as_deref();
            return Err(inner.refused(&oauth::provider_error(&code, description).message));
        }
        let code = returned
            .code
            .ok_or_else(|| SignInError::Refused(NOT_VALID.to_owned()))?;
        let _permit = inner.permit()?;
        let claims = inner
            .claims(&code, &attempt)
            .await
            .map_err(|reason| inner.refused(&reason))?;
        let user = inner.user_of(&claims, client.address).await?;
        let signed_in = inner.sessions.sign_in_user(&user, client).await?;
        let (session, token) =
            signed_in.ok_or_else(|| inner.refused("the user was removed meanwhile"))?;
        tracing::info!(user = %session.user.id, "signed in with OpenID Connect");
        Ok(Arrival {
            session,
            token,
            return_to: attempt.return_to,
        })
    }
}

impl Inner {
    fn permit(&self) -> Result<tokio::sync::SemaphorePermit<'_>, SignInError> {
        let busy = "Too many people sign in at the moment. Try again.";
        let permit = self.permits.try_acquire();
        permit.map_err(|_| SignInError::Unavailable(busy))
    }

    fn redirect_uri(&self) -> String {
        format!("{}/oidc/callback", self.infra.settings.public_url)
    }

    fn refused(&self, reason: &str) -> SignInError {
        tracing::warn!(reason, "sign-in with OpenID Connect refused");
        SignInError::Refused(format!(
            "{} did not sign you in: {reason}.",
            self.settings.name
        ))
    }

    /// The verified claims about the person of a code.
    async fn claims(&self, code: &str, attempt: &Attempt) -> Result<Claims, String> {
        let verifier = Verifier::from_text(attempt.verifier.clone());
        let answer = self
            .provider
            .exchange(code, &self.redirect_uri(), &verifier)
            .await?;
        let claims = self.verified(&answer, attempt).await?;
        if claims.email.is_some() {
            return Ok(claims);
        }
        // Many providers send mail addresses here only.
        let further = self.provider.user_info(&answer.access_token).await?;
        match further {
            None => Ok(claims),
            Some(further) if further.sub == claims.sub => Ok(further),
            Some(_) => Err("its user information is about another person".to_owned()),
        }
    }

    async fn verified(&self, answer: &TokenAnswer, attempt: &Attempt) -> Result<Claims, String> {
        let token = answer.extra.get("id_token");
        let token = token.ok_or("its answer has no ID token")?;
        let expected = Expected {
            issuer: &self.settings.issuer,
            client_id: &self.settings.client_id,
            nonce: &attempt.nonce,
            now_ms: self.infra.now_ms(),
        };
        let keys = self.provider.keys(false).await?;
        match verify(token, &keys, &expected) {
            Err(TokenError::UnknownKey) => {
                let keys = self.provider.keys(true).await?;
                verify(token, &keys, &expected).map_err(|error| error.to_string())
            }
            verified => verified.map_err(|error| error.to_string()),
        }
    }

    fn identity(&self, claims: &Claims) -> Identity {
        Identity {
            issuer: self.settings.issuer.clone(),
            subject: claims.sub.clone(),
        }
    }
}

/// An absolute address of this server, so that this is no open redirect. Other addresses become that of the console.
fn own_address(public_url: &str, address: &str) -> String {
    let own = Url::parse(public_url).ok();
    let joined = own.as_ref().and_then(|own| {
        let url = own.join(address).ok()?;
        (url.origin() == own.origin()).then(|| url.to_string())
    });
    joined.unwrap_or_else(|| format!("{public_url}/"))
}
