//! Users and their keys.

use sluice_engine::{EngineError, streams::Streams};
use sluice_infra::Infra;
use sluice_model::{ApiKey, UserId};
use sluice_store::{
    Page, StoreError,
    identities::{self, Identity},
    users::{self, EmitterCounts, Plan, User, UserFilter},
};

use crate::{accounts::Accounts, detached, listing::Listing, webhooks::Webhooks};

/// Webhooks and accounts that are read at once when a user is removed.
const REMOVAL_BATCH: u32 = 100;

pub struct NewUser {
    pub username: String,
    pub email: String,
    pub plan: Plan,
}

/// The result of the first start.
pub enum FirstUser {
    Created(ApiKey),
    Exists,
}

/// Manages users.
#[derive(Clone)]
pub struct Users {
    infra: Infra,
    webhooks: Webhooks,
    accounts: Accounts,
    streams: Streams,
}

impl Users {
    pub fn new(infra: &Infra, webhooks: Webhooks, accounts: Accounts, streams: Streams) -> Users {
        Users {
            infra: infra.clone(),
            webhooks,
            accounts,
            streams,
        }
    }

    /// The user with this API key.
    pub async fn authenticate(&self, key: &str) -> Result<Option<User>, EngineError> {
        let Some(key) = ApiKey::parse(key) else {
            return Ok(None);
        };
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        Ok(self
            .infra
            .store
            .read(move |c| users::by_fingerprint(c, &fingerprint))
            .await?)
    }

    pub async fn create(&self, new: NewUser) -> Result<(User, ApiKey), EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let user = self.insert(new, Rank::User, &key, None).await?;
        Ok((user, key))
    }

    /// Creates a user for a person at a provider. The API key is not shown; it can be rotated. Conflicts on name and identity.
    pub async fn create_for(&self, new: NewUser, identity: Identity) -> Result<User, EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        self.insert(new, Rank::User, &key, Some(identity)).await
    }

    pub async fn list(&self, filter: UserFilter, page: Page) -> Result<Listing<User>, EngineError> {
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: users::count_in(c, &filter)?,
                rows: users::page(c, &filter, &page)?,
            })
        });
        Ok(listing.await?)
    }

    /// Replaces a user's key. The old one stops working at once.
    pub async fn rotate_key(&self, user: &UserId) -> Result<ApiKey, EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        let sealed = self.seal_key(&key);
        let user = user.clone();
        let changed = self
            .infra
            .store
            .write(move |c| users::set_key(c, &user, &fingerprint, &sealed))
            .await?;
        changed.then_some(key).ok_or(EngineError::NotFound("user"))
    }

    /// Removes a user with webhooks and accounts. Sources and workflows must be deleted before: they may have hooks to run.
    pub async fn delete(&self, user: &UserId) -> Result<(), EngineError> {
        let id = user.clone();
        let (found, running) = self
            .infra
            .store
            .read(move |c| Ok::<_, StoreError>((users::get(c, &id)?, users::running(c, &id)?)))
            .await?;
        found.ok_or(EngineError::NotFound("user"))?;
        must_be_idle(running)?;
        let (users, user) = (self.clone(), user.clone());
        detached::run(
            &self.infra.shutdown,
            async move { users.tear_down(&user).await },
        )
        .await
    }

    async fn tear_down(&self, user: &UserId) -> Result<(), EngineError> {
        let newest = Page {
            limit: REMOVAL_BATCH,
            after: None,
            before: None,
        };
        loop {
            let webhooks = self.webhooks.list(user, None, newest.clone()).await?.rows;
            let accounts = self.accounts.list(user, None, newest.clone()).await?.rows;
            if webhooks.is_empty() && accounts.is_empty() {
                break;
            }
            for webhook in webhooks {
                ignore_missing(self.webhooks.delete(user, &webhook.id).await)?;
            }
            for view in accounts {
                ignore_missing(self.accounts.delete(user, &view.account.id).await)?;
            }
        }
        let id = user.clone();
        let running = self
            .infra
            .store
            .write(move |c| {
                // Waits for requests that are creating a source or a workflow, and then sees it.
                users::hold(c, &id)?;
                let running = users::running(c, &id)?;
                if running == EmitterCounts::default() {
                    users::remove(c, &id)?;
                }
                Ok::<_, StoreError>(running)
            })
            .await?;
        must_be_idle(running)?;
        self.streams.close_traffic(user);
        Ok(())
    }

    /// Creates the operator in an empty store, with `key` if one is given.
    pub async fn ensure_first(&self, key: Option<ApiKey>) -> Result<FirstUser, EngineError> {
        if self.infra.store.read(|c| users::count(c)).await? > 0 {
            if let Some(key) = key
                && self.authenticate(key.as_str()).await?.is_none()
            {
                tracing::warn!(
                    "SLUICE_API_KEY is not the key of any user: it is only used at the first start"
                );
            }
            return Ok(FirstUser::Exists);
        }
        let key = key.unwrap_or_else(|| ApiKey::random(&mut self.infra.ids.rng()));
        let new = NewUser {
            username: "operator".to_owned(),
            email: "operator@localhost".to_owned(),
            plan: Plan::Free,
        };
        match self.insert(new, Rank::Operator, &key, None).await {
            Ok(_) => Ok(FirstUser::Created(key)),
            // Another node that started at the same time was faster.
            Err(EngineError::Conflict(_)) => Ok(FirstUser::Exists),
            Err(error) => Err(error),
        }
    }

    /// The user's API key in clear.
    pub fn api_key(&self, user: &User) -> Result<ApiKey, EngineError> {
        let opened = self
            .infra
            .vault
            .open(&user.key_sealed)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        String::from_utf8(opened)
            .ok()
            .and_then(|text| ApiKey::parse(&text))
            .ok_or_else(|| {
                EngineError::Internal(format!("the stored key of {} is invalid", user.id))
            })
    }

    fn seal_key(&self, key: &ApiKey) -> String {
        let rng = &mut self.infra.ids.rng();
        self.infra.vault.seal(key.as_str().as_bytes(), rng)
    }

    async fn insert(
        &self,
        new: NewUser,
        rank: Rank,
        key: &ApiKey,
        identity: Option<Identity>,
    ) -> Result<User, EngineError> {
        let NewUser {
            username,
            email,
            plan,
        } = new;
        let user = User {
            id: UserId::random(&mut self.infra.ids.rng()),
            username,
            email,
            plan,
            operator: matches!(rank, Rank::Operator),
            key_sealed: self.seal_key(key),
            created_at: self.infra.creation_ms(),
        };
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        let row = user.clone();
        self.infra
            .store
            .write(move |c| {
                users::insert(c, &row, &fingerprint)?;
                if let Some(identity) = &identity {
                    identities::link(c, &row.id, identity)?;
                }
                Ok(())
            })
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

/// A concurrent request may have removed it.
fn ignore_missing(removed: Result<(), EngineError>) -> Result<(), EngineError> {
    match removed {
        Err(EngineError::NotFound(_)) => Ok(()),
        other => other,
    }
}

enum Rank {
    Operator,
    User,
}
