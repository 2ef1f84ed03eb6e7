//! Renewing the access of an application: each refresh token works once, and gives the key a new secret.
//!
//! When a refresh token is used again, two programs have it, and one of them may have stolen it. So the access ends. Requests that
//! an application sends twice at a time are no theft: for a few seconds the last used token gives the same answer again.

use std::net::IpAddr;

use sluice_engine::EngineError;
use sluice_model::{ApiKey, ApiKeyId, Scopes};
use sluice_store::{
    Conn, StoreError,
    api_keys::{self, AgentAccess as Access, NamedKey},
    audit::{Action, Credential, TargetKind},
    users,
};

use super::{
    AgentAccess, IssuedKey, error::AccessError, grant::digest, refresh_token::RefreshToken,
    service::TOKEN_LIFETIME_S,
};
use crate::{
    api_keys::last_characters,
    audit::{Actor, Change, Target},
};

/// For this time after a renewal, its refresh token is not taken for a stolen one.
const REPEATED_MS: i64 = 10_000;

/// The request of an application for a new token.
pub struct Renewal {
    pub refresh_token: String,
    pub client_id: String,
    /// Words separated by spaces, if the application names scopes.
    pub scope: Option<String>,
}

enum Outcome {
    Renewed(Box<NamedKey>),
    Missing,
    Reused,
    FewerScopes,
}

impl AgentAccess {
    /// Replaces the secret of the key of an application.
    pub async fn renew(
        &self,
        renewal: Renewal,
        address: Option<IpAddr>,
    ) -> Result<IssuedKey, AccessError> {
        let missing = AccessError::InvalidGrant("the refresh token is not valid, or has expired");
        let Some((token, key_id)) = self.opened(&renewal) else {
            return Err(missing);
        };
        let requested = scopes_of(renewal.scope.as_deref())?;
        let this = self.clone();
        let outcome = self
            .infra
            .store
            .write(move |c| this.renew_in(c, &token, &key_id, requested, address));
        match outcome.await.map_err(EngineError::from)? {
            Outcome::Renewed(key) => Ok(self.issued(&key)),
            Outcome::Missing => Err(missing),
            Outcome::FewerScopes => Err(AccessError::InvalidScope),
            Outcome::Reused => Err(AccessError::InvalidGrant(
                "the refresh token was used before, so the access has ended",
            )),
        }
    }

    fn opened(&self, renewal: &Renewal) -> Option<(RefreshToken, ApiKeyId)> {
        let token = RefreshToken::open(&renewal.refresh_token, &self.infra)?;
        let key_id = token.key_id()?;
        token
            .is_of(&digest(&renewal.client_id))
            .then_some((token, key_id))
    }

    fn renew_in(
        &self,
        c: &mut dyn Conn,
        token: &RefreshToken,
        key_id: &ApiKeyId,
        requested: Option<Scopes>,
        address: Option<IpAddr>,
    ) -> Result<Outcome, StoreError> {
        let now = self.infra.now_ms();
        let found = api_keys::hold(c, key_id)?;
        let current = found.filter(|key| key.expires_at.is_none_or(|at| at > now));
        let Some(key) = current else {
            return Ok(Outcome::Missing);
        };
        let Some(access) = key.access.clone() else {
            return Ok(Outcome::Missing);
        };
        if requested.is_some_and(|scopes| scopes.iter().any(|scope| !key.scopes.has(scope))) {
            return Ok(Outcome::FewerScopes);
        }
        if token.renewals() == access.renewals {
            let renewed = self.replace_secret(c, key, access, now)?;
            return Ok(Outcome::Renewed(Box::new(renewed)));
        }
        if is_repeated(token, &access, now) {
            return Ok(Outcome::Renewed(Box::new(key)));
        }
        self.end_stolen(c, &key, address)?;
        Ok(Outcome::Reused)
    }

    fn replace_secret(
        &self,
        c: &mut dyn Conn,
        mut key: NamedKey,
        access: Access,
        now: i64,
    ) -> Result<NamedKey, StoreError> {
        key.access = Some(Access {
            token_expires_at: Some(now + lifetime_ms()),
            renewals: access.renewals + 1,
            renewed_at: Some(now),
            ..access
        });
        let secret = self.secret(&key);
        key.last_characters = last_characters(&secret);
        api_keys::renew(c, &key, &self.infra.vault.fingerprint(secret.as_str()))?;
        Ok(key)
    }

    /// Deletes the key, with an entry in the audit log.
    fn end_stolen(
        &self,
        c: &mut dyn Conn,
        key: &NamedKey,
        address: Option<IpAddr>,
    ) -> Result<(), StoreError> {
        let Some(user) = users::get(c, &key.user_id)? else {
            return Ok(());
        };
        let mut actor = Actor::new(&user, Credential::NamedKey, address);
        actor.credential_id = Some(key.id.to_string());
        let target = Target::new(TargetKind::Key, &key.id, &key.name);
        let deleted = Change::new(&self.infra, &actor, Action::KeyDelete, target)
            .with("reason", "a refresh token was used twice");
        tracing::warn!(
            user = user.id.as_str(),
            key = key.id.as_str(),
            "refresh token of an application used twice; access ended"
        );
        api_keys::remove(c, &key.user_id, &key.id)?;
        deleted.record(c)
    }

    /// The response for a key after its last renewal.
    fn issued(&self, key: &NamedKey) -> IssuedKey {
        let access = key.access.as_ref();
        let token = access.map(|access| RefreshToken::newest(&key.id, access));
        let ends = [
            access.and_then(|access| access.token_expires_at),
            key.expires_at,
        ];
        let left_ms = ends.into_iter().flatten().min().unwrap_or_default() - self.infra.now_ms();
        IssuedKey {
            key: self.secret(key).as_str().to_owned(),
            scopes: key.scopes,
            lifetime_s: u64::try_from(left_ms / 1000).unwrap_or_default(),
            refresh_token: token.map(|token| token.seal(&self.infra)),
        }
    }

    /// The secret of a key after its last renewal. It follows from the number, so that a repeated request gets the same one.
    fn secret(&self, key: &NamedKey) -> ApiKey {
        let renewals = key.access.as_ref().map_or(0, |access| access.renewals);
        let name = format!("{} renewal {renewals}", key.id.as_str());
        let token = self.infra.vault.derived_token(&name);
        ApiKey::parse(&token[..token.len() / 2]).expect("half of a derived token is a key")
    }
}

fn lifetime_ms() -> i64 {
    i64::try_from(TOKEN_LIFETIME_S * 1000).unwrap_or(i64::MAX)
}

fn is_repeated(token: &RefreshToken, access: &Access, now: i64) -> bool {
    token.renewals() + 1 == access.renewals
        && access.renewed_at.is_some_and(|at| now - at < REPEATED_MS)
}

/// An application may ask for fewer scopes, and gets all that it has.
fn scopes_of(text: Option<&str>) -> Result<Option<Scopes>, AccessError> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let words = text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(","));
    words
        .map(|words| Scopes::parse(&words).ok_or(AccessError::InvalidScope))
        .transpose()
}
