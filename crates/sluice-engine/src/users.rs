//! Users and their keys.

use sluice_model::{ApiKey, UserId};
use sluice_store::{
    Page, StoreError,
    users::{self, EmitterCounts, Plan, User, UserFilter},
};

use crate::{Engine, Listing, error::EngineError};

/// Webhooks and accounts that are looked up at a time while a user is removed.
const REMOVED_AT_ONCE: u32 = 100;

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

    pub async fn users(
        &self,
        filter: UserFilter,
        page: Page,
    ) -> Result<Listing<User>, EngineError> {
        let listing = self.context.store.read(move |c| {
            Ok(Listing {
                total: users::count_in(c, &filter)?,
                rows: users::page(c, &filter, &page)?,
            })
        });
        Ok(listing.await?)
    }

    /// Gives a user another key; the one before is worth nothing from then on.
    pub async fn rotate_key(&self, user: &UserId) -> Result<ApiKey, EngineError> {
        let key = ApiKey::random(&mut rand::rng());
        let fingerprint = self.context.vault.fingerprint(key.as_str());
        let sealed = self.context.vault.seal(key.as_str().as_bytes());
        let user = user.clone();
        let changed = self
            .context
            .store
            .write(move |c| users::set_key(c, &user, &fingerprint, &sealed))
            .await?;
        changed.then_some(key).ok_or(EngineError::NotFound("user"))
    }

    /// Removes a user with all it has. Sources and workflows must be gone before: they may have hooks to run.
    pub async fn remove_user(&self, user: &UserId) -> Result<(), EngineError> {
        let id = user.clone();
        let (found, running) = self
            .context
            .store
            .read(move |c| Ok::<_, StoreError>((users::get(c, &id)?, users::running(c, &id)?)))
            .await?;
        found.ok_or(EngineError::NotFound("user"))?;
        must_be_idle(running)?;
        let user = user.clone();
        self.to_the_end(|engine| async move { engine.tear_user_down(&user).await })
            .await
    }

    async fn tear_user_down(&self, user: &UserId) -> Result<(), EngineError> {
        let newest = Page {
            limit: REMOVED_AT_ONCE,
            after: None,
            before: None,
        };
        loop {
            let webhooks = self.webhooks(user, None, newest.clone()).await?.rows;
            let accounts = self.accounts(user, None, newest.clone()).await?.rows;
            if webhooks.is_empty() && accounts.is_empty() {
                break;
            }
            for webhook in webhooks {
                gone_is_fine(self.remove_webhook(user, &webhook.id).await)?;
            }
            for view in accounts {
                gone_is_fine(self.remove_account(user, &view.account.id).await)?;
            }
        }
        let id = user.clone();
        let running = self
            .context
            .store
            .write(move |c| {
                // Whoever is creating something at this moment is waited for, and seen.
                users::hold(c, &id)?;
                let running = users::running(c, &id)?;
                if running == EmitterCounts::default() {
                    users::remove(c, &id)?;
                }
                Ok::<_, StoreError>(running)
            })
            .await?;
        must_be_idle(running)?;
        self.context.streams.traffic.close(user);
        Ok(())
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

fn must_be_idle(running: EmitterCounts) -> Result<(), EngineError> {
    let EmitterCounts { sources, workflows } = running;
    if running == EmitterCounts::default() {
        return Ok(());
    }
    let counted = |count: u64, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    Err(EngineError::Conflict(format!(
        "the user still has {} and {}: they must be deleted first",
        counted(sources, "source"),
        counted(workflows, "workflow")
    )))
}

/// Somebody else may have removed it at the same time.
fn gone_is_fine(removed: Result<(), EngineError>) -> Result<(), EngineError> {
    match removed {
        Err(EngineError::NotFound(_)) => Ok(()),
        other => other,
    }
}

enum Rank {
    Operator,
    User,
}
