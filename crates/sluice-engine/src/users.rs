//! Users and their keys.

use sluice_model::{ApiKey, UserId};
use sluice_store::{
    StoreError,
    users::{self, Plan, User},
};

use crate::{Engine, error::EngineError};

pub struct NewUser {
    pub username: String,
    pub email: String,
    pub plan: Plan,
}

/// What the first start found or made.
pub enum FirstUser {
    Created(ApiKey),
    AlreadyThere,
}

impl Engine {
    pub async fn authenticate(&self, key: &str) -> Result<Option<User>, EngineError> {
        let Some(key) = ApiKey::parse(key) else {
            return Ok(None);
        };
        let fingerprint = self.context.vault.fingerprint(key.as_str());
        Ok(self
            .context
            .store
            .read(move |c| users::by_fingerprint(c, &fingerprint))
            .await?)
    }

    pub async fn create_user(&self, new: NewUser) -> Result<(User, ApiKey), EngineError> {
        let key = ApiKey::random(&mut rand::rng());
        let user = self.insert_user(new, Rank::User, &key).await?;
        Ok((user, key))
    }

    /// Makes the operator's account on an empty store, with `key` when one is given.
    pub async fn ensure_first_user(&self, key: Option<ApiKey>) -> Result<FirstUser, EngineError> {
        if self.context.store.read(|c| users::count(c)).await? > 0 {
            if let Some(key) = key
                && self.authenticate(key.as_str()).await?.is_none()
            {
                tracing::warn!(
                    "SLUICE_API_KEY is not the key of any user: it is only used at the first start"
                );
            }
            return Ok(FirstUser::AlreadyThere);
        }
        let key = key.unwrap_or_else(|| ApiKey::random(&mut rand::rng()));
        let new = NewUser {
            username: "operator".to_owned(),
            email: "operator@localhost".to_owned(),
            plan: Plan::Free,
        };
        self.insert_user(new, Rank::Operator, &key).await?;
        Ok(FirstUser::Created(key))
    }

    pub fn api_key_of(&self, user: &User) -> Result<ApiKey, EngineError> {
        let opened = self
            .context
            .vault
            .open(&user.key_sealed)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        String::from_utf8(opened)
            .ok()
            .and_then(|text| ApiKey::parse(&text))
            .ok_or_else(|| {
                EngineError::Internal(format!("the stored key of {} is no key", user.id))
            })
    }

    async fn insert_user(
        &self,
        new: NewUser,
        rank: Rank,
        key: &ApiKey,
    ) -> Result<User, EngineError> {
        let NewUser {
            username,
            email,
            plan,
        } = new;
        let user = User {
            id: UserId::random(&mut rand::rng()),
            username,
            email,
            plan,
            operator: matches!(rank, Rank::Operator),
            key_sealed: self.context.vault.seal(key.as_str().as_bytes()),
            created_at: self.context.clock.now_ms(),
        };
        let fingerprint = self.context.vault.fingerprint(key.as_str());
        let row = user.clone();
        self.context
            .store
            .write(move |c| users::insert(c, &row, &fingerprint))
            .await
            .map_err(|error| match error {
                StoreError::Conflict(_) => {
                    EngineError::Conflict("the username is taken".to_owned())
                }
                other => other.into(),
            })?;
        Ok(user)
    }
}

enum Rank {
    Operator,
    User,
}
