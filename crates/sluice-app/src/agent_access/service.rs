//! Registering applications, approving them, and exchanging codes for keys.

use std::net::IpAddr;

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{ApiKeyId, Scope, Scopes, UserId};
use sluice_store::{api_keys, audit::Credential, users};
use url::Url;

use super::{
    application::Application,
    error::AccessError,
    grant::{self, Grant, digest},
    refresh_token::RefreshToken,
};
use crate::{
    api_keys::{ApiKeys, NewKey},
    audit::Actor,
};

/// The longest access of an application, in days.
const MAX_DAYS: u32 = 365;
const DAY_S: u64 = 86_400;
/// The length of a digest by SHA-256.
const CHALLENGE: usize = 43;

/// How long a token works that its application renews.
pub(super) const TOKEN_LIFETIME_S: u64 = 3600;

#[derive(Clone)]
pub struct AgentAccess {
    pub(super) infra: Infra,
    pub(super) api_keys: ApiKeys,
}

/// The request of an application for access, which its user sees.
pub struct AppRequest {
    pub client_id: String,
    pub redirect_uri: String,
}

/// The answer of the user.
pub struct Approval {
    pub request: AppRequest,
    /// Of PKCE, by SHA-256.
    pub code_challenge: String,
    pub state: Option<String>,
    /// None denies it.
    pub scopes: Option<Scopes>,
    pub days: u32,
}

/// A code and the proof that the application asked for it.
pub struct Exchange {
    pub code: String,
    pub client_id: String,
    pub redirect_uri: Option<String>,
    pub code_verifier: String,
}

/// A token, which is the secret of a named key.
pub struct IssuedKey {
    pub key: String,
    pub scopes: Scopes,
    pub lifetime_s: u64,
    /// For an application that renews its tokens.
    pub refresh_token: Option<String>,
}

impl AgentAccess {
    pub(crate) fn new(infra: &Infra, api_keys: ApiKeys) -> AgentAccess {
        AgentAccess {
            infra: infra.clone(),
            api_keys,
        }
    }

    /// The id of an application that registers itself. Nothing is stored.
    pub fn register(
        &self,
        name: Option<&str>,
        redirect_uris: Vec<String>,
        renews: bool,
    ) -> Result<(String, Application), AccessError> {
        let application = Application::new(name, redirect_uris, renews)?;
        Ok((application.seal(&self.infra), application))
    }

    /// The application of a request, for its user.
    pub fn application(&self, request: &AppRequest) -> Result<Application, AccessError> {
        let application = Application::open(&request.client_id, &self.infra)?;
        application.must_have(&request.redirect_uri)?;
        Ok(application)
    }

    /// The address to which the browser of the user returns: with a code, or with an error if access was denied.
    pub fn answer(&self, user: &UserId, approval: Approval) -> Result<String, AccessError> {
        let Approval {
            request,
            code_challenge,
            state,
            scopes,
            days,
        } = approval;
        let application = self.application(&request)?;
        let mut parameters = Vec::new();
        match scopes {
            None => parameters.push(("error", "access_denied".to_owned())),
            Some(scopes) => {
                check(scopes, days, &code_challenge)?;
                let grant = Grant {
                    kind: grant::KIND.to_owned(),
                    user_id: user.to_string(),
                    key_id: ApiKeyId::random(&mut self.infra.ids.rng()).to_string(),
                    application: digest(&request.client_id),
                    name: application.name,
                    renews: application.renews,
                    redirect_uri: request.redirect_uri.clone(),
                    challenge: code_challenge,
                    scopes: scopes.to_text(),
                    lifetime_s: u64::from(days) * DAY_S,
                    expires_at: self.infra.now_ms() + grant::LIFETIME_MS,
                };
                parameters.push(("code", grant.seal(&self.infra)));
            }
        }
        parameters.extend(state.map(|state| ("state", state)));
        parameters.push(("iss", self.infra.settings.public_url.clone()));
        let mut url = Url::parse(&request.redirect_uri)
            .map_err(|_| AccessError::InvalidRedirectUri("is no URL"))?;
        url.query_pairs_mut().extend_pairs(parameters);
        Ok(url.into())
    }

    /// Creates the key of a grant. A code works once.
    pub async fn exchange(
        &self,
        exchange: Exchange,
        address: Option<IpAddr>,
    ) -> Result<IssuedKey, AccessError> {
        let grant = self.proven(&exchange)?;
        let gone = AccessError::InvalidGrant("the user does not exist any more");
        let (Some(user), Some(key_id), Some(scopes)) = (
            UserId::parse(&grant.user_id),
            ApiKeyId::parse(&grant.key_id),
            Scopes::parse(&grant.scopes),
        ) else {
            return Err(gone);
        };
        let read = self.infra.store.read(move |c| users::get(c, &user));
        let user = read.await.map_err(EngineError::from)?.ok_or(gone)?;
        // The user approved it in the console.
        let actor = Actor::new(&user, Credential::Session, address);
        let lifetime_s = if grant.renews {
            TOKEN_LIFETIME_S
        } else {
            grant.lifetime_s
        };
        let access = self.access_of(&grant);
        let token = grant.renews.then(|| RefreshToken::newest(&key_id, &access));
        let new = NewKey {
            name: grant.name,
            scopes,
            lifetime_s: Some(grant.lifetime_s),
        };
        let created = self
            .api_keys
            .create_as(&actor, key_id, new, None, Some(access));
        let (_, key) = created.await.map_err(|error| match error {
            EngineError::Conflict(_) => {
                AccessError::InvalidGrant("the code was used already, or there are too many keys")
            }
            error => AccessError::Engine(error),
        })?;
        Ok(IssuedKey {
            key: key.as_str().to_owned(),
            scopes,
            lifetime_s,
            refresh_token: token.map(|token| token.seal(&self.infra)),
        })
    }

    /// The grant of a code, if the request comes from the application that asked for it.
    fn proven(&self, exchange: &Exchange) -> Result<Grant, AccessError> {
        let grant = Grant::open(&exchange.code, &self.infra)?;
        let proves = digest(&exchange.code_verifier) == grant.challenge
            && digest(&exchange.client_id) == grant.application
            && exchange
                .redirect_uri
                .as_ref()
                .is_none_or(|uri| *uri == grant.redirect_uri);
        if !proves {
            return Err(AccessError::InvalidGrant(
                "the code belongs to another request",
            ));
        }
        Ok(grant)
    }

    fn access_of(&self, grant: &Grant) -> api_keys::AgentAccess {
        let lifetime_ms = i64::try_from(TOKEN_LIFETIME_S * 1000).unwrap_or(i64::MAX);
        api_keys::AgentAccess {
            application: grant.application.clone(),
            token_expires_at: grant.renews.then(|| self.infra.now_ms() + lifetime_ms),
            renewals: 0,
            renewed_at: None,
        }
    }
}

fn check(scopes: Scopes, days: u32, challenge: &str) -> Result<(), AccessError> {
    let problem = if scopes.is_empty() {
        "at least one scope is required"
    } else if scopes.has(Scope::Operate) {
        "an application cannot get the scope operate"
    } else if !(1..=MAX_DAYS).contains(&days) {
        "days must be from 1 to 365"
    } else if challenge.len() != CHALLENGE {
        "code_challenge must be a digest by SHA-256 (S256)"
    } else {
        return Ok(());
    };
    Err(AccessError::InvalidRequest(problem.to_owned()))
}
