//! Accounts as their users manage them.

use serde_json::{Map, Value};
use sluice_model::{AccountId, AppAuth, UserId};
use sluice_store::{
    Page, StoreError,
    account_uses::{self, Use},
    accounts::{self, Account, Health, Renewal},
    apps::{self, App},
};

use super::{
    credentials::{Credentials, Tokens},
    oauth::Registration,
};
use crate::{Engine, Listing, error::EngineError};

pub struct AccountView {
    pub account: Account,
    pub app: App,
}

pub struct NewAccount {
    /// Slug or id.
    pub app: String,
    /// Left out: the name of the app.
    pub name: Option<String>,
    pub credentials: Map<String, Value>,
}

pub struct AccountChange {
    pub name: Option<String>,
    pub credentials: Option<Map<String, Value>>,
}

impl Engine {
    pub async fn create_account(
        &self,
        user: &UserId,
        new: NewAccount,
    ) -> Result<AccountView, EngineError> {
        let app = self.app(new.app).await?;
        let renewal = self.sealed(&app, &new.credentials)?;
        let account = new_account(user, &app, new.name, renewal);
        let row = account.clone();
        self.context
            .infra
            .store
            .write(move |c| accounts::insert(c, &row))
            .await?;
        Ok(AccountView { account, app })
    }

    pub async fn account(&self, user: &UserId, id: &AccountId) -> Result<AccountView, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        let found = self.context.infra.store.read(move |c| {
            let account = accounts::get(c, &user, &id)?;
            account.map(|account| view(c, account)).transpose()
        });
        found.await?.ok_or(EngineError::NotFound("account"))
    }

    /// The user's accounts, of one app (slug or id) or of all. An app that is unknown has none.
    pub async fn accounts(
        &self,
        user: &UserId,
        app: Option<String>,
        page: Page,
    ) -> Result<Listing<AccountView>, EngineError> {
        let user = user.clone();
        let listing = self.context.infra.store.read(move |c| {
            let app = match app {
                None => None,
                Some(name) => match apps::by_slug_or_id(c, &name)? {
                    Some(app) => Some(app.id),
                    None => {
                        return Ok(Listing {
                            total: 0,
                            rows: Vec::new(),
                        });
                    }
                },
            };
            let total = accounts::count(c, &user, app.as_ref())?;
            let rows = accounts::list(c, &user, app.as_ref(), &page)?
                .into_iter()
                .map(|account| view(c, account))
                .collect::<Result<_, _>>()?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }

    /// The user's sources and workflows that use the account.
    pub async fn account_uses(
        &self,
        user: &UserId,
        id: &AccountId,
        page: Page,
    ) -> Result<Listing<Use>, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        let listing = self.context.infra.store.read(move |c| {
            if accounts::get(c, &user, &id)?.is_none() {
                return Ok(None);
            }
            let found = account_uses::of(c, &user, &id)?;
            Ok(Some(Listing {
                total: found.len() as u64,
                rows: page.of(found, |one| (one.created_at, one.id.as_str())),
            }))
        });
        listing.await?.ok_or(EngineError::NotFound("account"))
    }

    /// What components see of an account as `$auth`.
    pub fn credentials_of(&self, view: &AccountView) -> Result<Map<String, Value>, EngineError> {
        Credentials::open(&self.context.infra.vault, &view.account)
            .map(|credentials| credentials.auth(&view.app))
            .map_err(|why| {
                EngineError::Internal(format!("credentials of {}: {why}", view.account.id))
            })
    }

    /// Renames an account, or gives it new credentials, which also heals it.
    pub async fn update_account(
        &self,
        user: &UserId,
        id: &AccountId,
        change: AccountChange,
    ) -> Result<AccountView, EngineError> {
        let AccountView { app, .. } = self.account(user, id).await?;
        let credentials = change.credentials.as_ref();
        let renewal = credentials
            .map(|given| self.sealed(&app, given))
            .transpose()?;
        let (owner, account, now) = (user.clone(), id.clone(), self.context.infra.clock.now_ms());
        let changed = self.context.infra.store.write(move |c| {
            let mut there = true;
            if let Some(name) = &change.name {
                there &= accounts::rename(c, &owner, &account, name, now)?;
            }
            if let Some(renewal) = &renewal {
                there &= accounts::replace(c, &owner, &account, renewal)?;
            }
            Ok(there)
        });
        if !changed.await? {
            return Err(EngineError::NotFound("account"));
        }
        self.context.accounts.forget(user, id);
        self.account(user, id).await
    }

    /// Sources that use it say so in their logs at their next run. The provider is told, where it wants to be.
    pub async fn remove_account(&self, user: &UserId, id: &AccountId) -> Result<(), EngineError> {
        let view = self.account(user, id).await?;
        let (owner, account) = (user.clone(), id.clone());
        let removed = self
            .context
            .infra
            .store
            .write(move |c| accounts::remove(c, &owner, &account))
            .await?;
        if !removed {
            return Err(EngineError::NotFound("account"));
        }
        self.context.accounts.forget(user, id);
        let engine = self.clone();
        self.context
            .infra
            .shutdown
            .spawn(async move { engine.revoke(&view).await });
        Ok(())
    }

    async fn revoke(&self, AccountView { account, app }: &AccountView) {
        let known = &self.context.accounts;
        let (AppAuth::Oauth(settings), Ok(Credentials::Oauth(tokens)), Ok(secret)) = (
            &app.auth,
            Credentials::open(&self.context.infra.vault, account),
            known.client_secret(app),
        ) else {
            return;
        };
        let registration = Registration { settings, secret };
        let Tokens {
            access_token,
            refresh_token,
            ..
        } = tokens;
        let token = refresh_token.unwrap_or(access_token);
        if let Err(error) = known.provider.revoke(&registration, &token).await {
            tracing::info!(account = %account.id, %error, "a provider did not take back the tokens of a deleted account");
        }
    }

    fn sealed(&self, app: &App, given: &Map<String, Value>) -> Result<Renewal, EngineError> {
        let now = self.context.infra.clock.now_ms();
        let credentials = Credentials::given(&app.auth, given, now).map_err(|faults| {
            EngineError::InvalidRecord {
                field: "credentials",
                faults,
            }
        })?;
        Ok(credentials.seal(&self.context.infra.vault, now))
    }
}

pub(super) fn new_account(
    user: &UserId,
    app: &App,
    name: Option<String>,
    renewal: Renewal,
) -> Account {
    Account {
        id: AccountId::random(&mut rand::rng()),
        user_id: user.clone(),
        app_id: app.id.clone(),
        name: name.unwrap_or_else(|| app.name.clone()),
        credentials_sealed: renewal.credentials_sealed,
        expires_at: renewal.expires_at,
        health: Health::Healthy,
        version: 1,
        created_at: renewal.at,
        updated_at: renewal.at,
    }
}

fn view(c: &mut dyn sluice_store::Conn, account: Account) -> Result<AccountView, StoreError> {
    let app = apps::get(c, &account.app_id)?
        .ok_or_else(|| StoreError::Corrupt(format!("{} has no app", account.id)))?;
    Ok(AccountView { account, app })
}
