//! Ending the access of an application, by itself.

use std::net::IpAddr;

use sluice_engine::EngineError;
use sluice_model::{ApiKeyId, UserId};
use sluice_store::{
    api_keys::{self, NamedKey},
    audit::Credential,
    users,
};

use super::{AgentAccess, error::AccessError, grant::digest, refresh_token::RefreshToken};
use crate::audit::Actor;

/// A token that its application gives back: the newest one, or a refresh token.
pub struct Revocation {
    pub token: String,
    pub client_id: String,
}

impl AgentAccess {
    /// Deletes the key of a token. A token that is not valid, or not one of an application, changes nothing.
    pub async fn revoke(
        &self,
        revocation: Revocation,
        address: Option<IpAddr>,
    ) -> Result<(), AccessError> {
        let Some(key) = self.key_of(&revocation.token).await? else {
            return Ok(());
        };
        let Some(access) = &key.access else {
            return Ok(());
        };
        if access.application != digest(&revocation.client_id) {
            return Err(AccessError::InvalidGrant(
                "the token belongs to another application",
            ));
        }
        let Some(actor) = self.application_of(&key.user_id, &key.id, address).await? else {
            return Ok(());
        };
        match self.api_keys.delete(&actor, &key.id).await {
            Ok(()) | Err(EngineError::NotFound(_)) => Ok(()),
            Err(error) => Err(AccessError::Engine(error)),
        }
    }

    async fn key_of(&self, token: &str) -> Result<Option<NamedKey>, AccessError> {
        let Some(refresh) = RefreshToken::open(token, &self.infra) else {
            let known = self.api_keys.look_up(token).await?;
            return Ok(known.and_then(|known| known.owner.named));
        };
        let Some(id) = refresh.key_id() else {
            return Ok(None);
        };
        let read = self.infra.store.read(move |c| api_keys::get(c, &id));
        Ok(read.await.map_err(EngineError::from)?)
    }

    async fn application_of(
        &self,
        user: &UserId,
        key: &ApiKeyId,
        address: Option<IpAddr>,
    ) -> Result<Option<Actor>, AccessError> {
        let user = user.clone();
        let read = self.infra.store.read(move |c| users::get(c, &user));
        let user = read.await.map_err(EngineError::from)?;
        Ok(user.map(|user| Actor {
            credential_id: Some(key.to_string()),
            ..Actor::new(&user, Credential::NamedKey, address)
        }))
    }
}
