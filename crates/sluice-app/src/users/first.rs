//! The first user, who is the operator.

use sluice_engine::EngineError;
use sluice_model::ApiKey;
use sluice_store::{
    StoreError,
    audit::Action,
    users::{self, Plan, UserChange},
};

use super::{NewUser, Origin, Users};
use crate::{audit::Actor, user_changes::difference};

/// The address of the first user, until it gets a real one. No mail can go to it.
pub const PLACEHOLDER_EMAIL: &str = "operator@localhost";

/// The result of the first start.
pub enum FirstUser {
    Created(ApiKey),
    Exists,
}

impl Users {
    /// Creates the operator in an empty store, with this key and address if they are given. Later an address only replaces the
    /// placeholder.
    pub async fn ensure_first(
        &self,
        key: Option<ApiKey>,
        email: Option<String>,
    ) -> Result<FirstUser, EngineError> {
        if self.infra.store.read(|c| users::count(c)).await? > 0 {
            if let Some(key) = key
                && self.api_keys.authenticate(key.as_str()).await?.is_none()
            {
                tracing::warn!(
                    "SLUICE_API_KEY is not the key of any user: it is only used at the first start"
                );
            }
            if let Some(email) = email {
                self.replace_placeholder(email).await?;
            }
            return Ok(FirstUser::Exists);
        }
        let key = key.unwrap_or_else(|| ApiKey::random(&mut self.infra.ids.rng()));
        let new = NewUser {
            username: "operator".to_owned(),
            email: email.unwrap_or_else(|| PLACEHOLDER_EMAIL.to_owned()),
            plan: Plan::Free,
            operator: true,
        };
        let user = self.new_user(new, &key);
        let created = self.change(&Actor::server(), Action::UserCreate, &user);
        match self.insert(&user, &key, Origin::Operator, created).await {
            Ok(()) => Ok(FirstUser::Created(key)),
            // Another node that started at the same time was faster.
            Err(EngineError::Conflict(_)) => Ok(FirstUser::Exists),
            Err(error) => Err(error),
        }
    }

    async fn replace_placeholder(&self, email: String) -> Result<(), EngineError> {
        let users = self.clone();
        let replaced = self
            .infra
            .store
            .write(move |c| {
                let operators = users::operators_with_email(c, PLACEHOLDER_EMAIL)?;
                for before in &operators {
                    let server = Actor::server();
                    let recorded = users.change_of(&server, Action::UserUpdate, &before.id);
                    let change = UserChange {
                        email: Some(email.clone()),
                        ..UserChange::default()
                    };
                    if let Some(user) = users::update(c, &before.id, &change)? {
                        difference(recorded, before, &user).record(c)?;
                    }
                }
                Ok::<_, StoreError>(operators.len())
            })
            .await?;
        if replaced > 0 {
            tracing::info!("the operator has the address of --operator-email now");
        }
        Ok(())
    }

    /// Whether a user has an address that no mail can go to.
    pub async fn has_placeholder_email(&self) -> Result<bool, EngineError> {
        let store = &self.infra.store;
        Ok(store
            .read(|c| users::has_email(c, PLACEHOLDER_EMAIL))
            .await?)
    }
}
