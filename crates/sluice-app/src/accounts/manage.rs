//! Accounts: create, read, change, delete.

use serde_json::{Map, Value};
use sluice_engine::{
    EngineError,
    process::credentials::{Credentials, StoredCredentials},
};
use sluice_infra::Infra;
use sluice_model::{AccountId, AppAuth, UserId};
use sluice_store::{
    Conn, Page, StoreError,
    account_uses::{self, Use},
    accounts::{self, Account, Health, Renewal},
    apps::{self, App},
    audit::{Action, TargetKind},
};

use crate::{
    apps::{Apps, known},
    audit::{Actor, Change, Target},
    listing::Listing,
};

pub struct AccountView {
    pub account: Account,
    pub app: App,
}

pub struct NewAccount {
    /// Slug or id.
    pub app: String,
    /// Defaults to the name of the app.
    pub name: Option<String>,
    pub credentials: Map<String, Value>,
}

pub struct AccountChange {
    pub name: Option<String>,
    pub credentials: Option<Map<String, Value>>,
}

/// Manages accounts and connects them by OAuth.
#[derive(Clone)]
pub struct Accounts {
    pub(super) infra: Infra,
    pub(super) apps: Apps,
    pub(super) credentials: Credentials,
}

impl Accounts {
    pub fn new(infra: &Infra, apps: Apps, credentials: Credentials) -> Accounts {
        Accounts {
            infra: infra.clone(),
            apps,
            credentials,
        }
    }

    pub async fn create(&self, actor: &Actor, new: NewAccount) -> Result<AccountView, EngineError> {
        let app = self.apps.get(new.app).await?;
        let renewal = self.sealed(&app, &new.credentials)?;
        let app = self.apps.stored(app).await?;
        let account = new_account(&actor.user_id, &app, new.name, renewal, &self.infra);
        let row = account.clone();
        let change = self.recorded(actor, Action::AccountCreate, &account, &app);
        let created = self.infra.store.write(move |c| {
            accounts::insert(c, &row)?;
            change.record(c)
        });
        created.await?;
        Ok(AccountView { account, app })
    }

    pub async fn get(&self, user: &UserId, id: &AccountId) -> Result<AccountView, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        let found = self.infra.store.read(move |c| {
            let account = accounts::get(c, &user, &id)?;
            account.map(|account| view(c, account)).transpose()
        });
        found.await?.ok_or(EngineError::NotFound("account"))
    }

    /// The user's accounts, of one app (slug or id) or of all. An unknown app has none.
    pub async fn list(
        &self,
        user: &UserId,
        app: Option<String>,
        page: Page,
    ) -> Result<Listing<AccountView>, EngineError> {
        let user = user.clone();
        let listing = self.infra.store.read(move |c| {
            let app = match app {
                None => None,
                Some(name) => match known::by_slug_or_id(c, &name)? {
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
    pub async fn uses(
        &self,
        user: &UserId,
        id: &AccountId,
        page: Page,
    ) -> Result<Listing<Use>, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        let listing = self.infra.store.read(move |c| {
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

    /// The `$auth` that components get for an account.
    pub fn auth(&self, view: &AccountView) -> Result<Map<String, Value>, EngineError> {
        StoredCredentials::open(&self.infra.vault, &view.account)
            .map(|credentials| credentials.auth(&view.app))
            .map_err(|reason| {
                EngineError::Internal(format!("credentials of {}: {reason}", view.account.id))
            })
    }

    /// Whether the tokens of an account can be renewed; `None` for one without tokens.
    pub fn is_renewable(&self, view: &AccountView) -> Option<bool> {
        let AppAuth::Oauth(settings) = &view.app.auth else {
            return None;
        };
        match StoredCredentials::open(&self.infra.vault, &view.account) {
            Ok(StoredCredentials::Oauth(tokens)) => {
                Some(tokens.refresh_token.is_some() && settings.client_id.is_some())
            }
            Ok(StoredCredentials::Keys { .. }) | Err(_) => None,
        }
    }

    /// Renames an account, or replaces its credentials, which also makes it healthy.
    pub async fn update(
        &self,
        actor: &Actor,
        id: &AccountId,
        change: AccountChange,
    ) -> Result<AccountView, EngineError> {
        let user = &actor.user_id;
        let AccountView { app, account } = self.get(user, id).await?;
        let mut recorded = self.recorded(actor, Action::AccountUpdate, &account, &app);
        recorded.add_fields(&[
            ("name", change.name.is_some()),
            ("credentials", change.credentials.is_some()),
        ]);
        let credentials = change.credentials.as_ref();
        let renewal = credentials
            .map(|given| self.sealed(&app, given))
            .transpose()?;
        let (owner, account, now) = (user.clone(), id.clone(), self.infra.now_ms());
        let changed = self.infra.store.write(move |c| {
            let mut exists = true;
            if let Some(name) = &change.name {
                exists &= accounts::rename(c, &owner, &account, name, now)?;
            }
            if let Some(renewal) = &renewal {
                exists &= accounts::replace(c, &owner, &account, renewal)?;
            }
            if exists {
                recorded.record(c)?;
            }
            Ok(exists)
        });
        if !changed.await? {
            return Err(EngineError::NotFound("account"));
        }
        self.credentials.forget(user, id);
        self.get(user, id).await
    }

    /// A change of an account.
    pub(super) fn recorded(
        &self,
        actor: &Actor,
        action: Action,
        account: &Account,
        app: &App,
    ) -> Change {
        let target = Target::new(TargetKind::Account, &account.id, &account.name);
        Change::new(&self.infra, actor, action, target).with("app", app.slug.as_str())
    }

    fn sealed(&self, app: &App, given: &Map<String, Value>) -> Result<Renewal, EngineError> {
        let now = self.infra.now_ms();
        let credentials = StoredCredentials::given(&app.auth, given, now).map_err(|errors| {
            EngineError::InvalidRecord {
                field: "credentials",
                errors,
            }
        })?;
        Ok(credentials.seal(&self.infra.vault, &mut self.infra.ids.rng(), now))
    }
}

pub(super) fn new_account(
    user: &UserId,
    app: &App,
    name: Option<String>,
    renewal: Renewal,
    infra: &Infra,
) -> Account {
    Account {
        id: AccountId::random(&mut infra.ids.rng()),
        user_id: user.clone(),
        app_id: app.id.clone(),
        name: name.unwrap_or_else(|| app.name.clone()),
        credentials_sealed: renewal.credentials_sealed,
        expires_at: renewal.expires_at,
        health: Health::Healthy,
        version: 1,
        created_at: infra.creation_ms(),
        updated_at: renewal.at,
    }
}

fn view(c: &mut dyn Conn, account: Account) -> Result<AccountView, StoreError> {
    let app = apps::get(c, &account.app_id)?
        .ok_or_else(|| StoreError::Corrupt(format!("{} has no app", account.id)))?;
    Ok(AccountView { account, app })
}
