//! Users and their keys.

mod first;
mod removal;

use std::net::IpAddr;

use sluice_engine::{EngineError, streams::Streams};
use sluice_infra::Infra;
use sluice_model::{ApiKey, UserId};
use sluice_store::{
    Conn, Page, StoreError,
    audit::{Action, Credential, TargetKind},
    identities::{self, Identity},
    users::{self, Plan, User, UserFilter},
};

pub use self::first::{FirstUser, PLACEHOLDER_EMAIL};
pub use sluice_store::users::UserChange;

use crate::{
    accounts::Accounts,
    api_keys::ApiKeys,
    audit::{Actor, Change, Target},
    listing::Listing,
    user_changes::{difference, of_person, target},
    webhooks::Webhooks,
};

pub struct NewUser {
    pub username: String,
    pub email: String,
    pub plan: Plan,
    pub operator: bool,
}

/// Manages users.
#[derive(Clone)]
pub struct Users {
    infra: Infra,
    api_keys: ApiKeys,
    webhooks: Webhooks,
    accounts: Accounts,
    streams: Streams,
}

impl Users {
    pub fn new(
        infra: &Infra,
        api_keys: ApiKeys,
        webhooks: Webhooks,
        accounts: Accounts,
        streams: Streams,
    ) -> Users {
        Users {
            infra: infra.clone(),
            api_keys,
            webhooks,
            accounts,
            streams,
        }
    }

    pub async fn create(&self, actor: &Actor, new: NewUser) -> Result<(User, ApiKey), EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let user = self.new_user(new, &key);
        let created = self.change(actor, Action::UserCreate, &user);
        self.insert(&user, &key, Origin::Operator, created).await?;
        Ok((user, key))
    }

    /// Creates a user who has no credential yet.
    pub async fn sign_up(
        &self,
        new: NewUser,
        address: Option<IpAddr>,
    ) -> Result<(User, ApiKey), EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let user = self.new_user(new, &key);
        let actor = Actor::new(&user, Credential::None, address);
        let signed_up = self.change(&actor, Action::UserSignUp, &user);
        self.insert(&user, &key, Origin::User, signed_up).await?;
        Ok((user, key))
    }

    /// Creates a user for a person at a provider. The API key is not shown; it can be rotated. Conflicts on name and identity.
    pub async fn create_for(
        &self,
        new: NewUser,
        identity: Identity,
        address: IpAddr,
    ) -> Result<User, EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let user = self.new_user(new, &key);
        let actor = Actor::new(&user, Credential::Oidc, Some(address));
        let signed_up = self.change(&actor, Action::UserSignUp, &user);
        let signed_up = of_person(signed_up, &identity);
        self.insert(&user, &key, Origin::Provider(identity), signed_up)
            .await?;
        Ok(user)
    }

    /// Links a user to a person at a provider. Returns whether the user was not linked before.
    pub(crate) fn link(
        &self,
        c: &mut dyn Conn,
        user: &UserId,
        identity: &Identity,
        address: IpAddr,
    ) -> Result<bool, StoreError> {
        if !identities::link(c, user, identity)? {
            return Ok(false);
        }
        if let Some(user) = users::get(c, user)? {
            let actor = Actor::new(&user, Credential::Oidc, Some(address));
            let linked = self.change(&actor, Action::UserLinkIdentity, &user);
            of_person(linked, identity).record(c)?;
        }
        Ok(true)
    }

    /// A change of this user's account.
    fn change(&self, actor: &Actor, action: Action, user: &User) -> Change {
        Change::new(&self.infra, actor, action, target(user)).of_account(&user.id)
    }

    /// A change of the account of a user who is not read yet.
    fn change_of(&self, actor: &Actor, action: Action, user: &UserId) -> Change {
        let unnamed = Target::new(TargetKind::User, user, "");
        Change::new(&self.infra, actor, action, unnamed).of_account(user)
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
    pub async fn rotate_key(&self, actor: &Actor, user: &UserId) -> Result<ApiKey, EngineError> {
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        let sealed = self.seal_key(&key);
        let mut rotated = self.change_of(actor, Action::UserRotateKey, user);
        let user = user.clone();
        let changed = self.infra.store.write(move |c| {
            let changed = users::set_key(c, &user, &fingerprint, &sealed)?;
            if let Some(row) = users::get(c, &user)?.filter(|_| changed) {
                rotated.set_target(target(&row));
                rotated.record(c)?;
            }
            Ok(changed)
        });
        changed
            .await?
            .then_some(key)
            .ok_or(EngineError::NotFound("user"))
    }

    /// Changes a user. The last operator stays one.
    pub async fn update(
        &self,
        actor: &Actor,
        user: &UserId,
        change: UserChange,
    ) -> Result<User, EngineError> {
        let recorded = self.change_of(actor, Action::UserUpdate, user);
        let id = user.clone();
        let is_own = actor.user_id == id;
        let updated = self.infra.store.write(move |c| {
            let operators = match change.operator {
                Some(false) => Some(users::lock_operators(c)?),
                Some(true) | None => None,
            };
            let Some(before) = users::get(c, &id)? else {
                return Ok(Updated::NoUser);
            };
            if before.operator && operators == Some(1) {
                return Ok(Updated::LastOperator);
            }
            let Some(user) = users::update(c, &id, &change)? else {
                return Ok(Updated::NoUser);
            };
            let is_new = user.email != before.email;
            if change.email.is_some() && (is_new || !is_own) {
                users::set_email_claimed(c, &id, is_own)?;
            }
            if user != before {
                difference(recorded, &before, &user).record(c)?;
            }
            Ok(Updated::User(user))
        });
        match updated.await.map_err(name_conflict)? {
            Updated::User(user) => Ok(user),
            Updated::NoUser => Err(EngineError::NotFound("user")),
            Updated::LastOperator => Err(last_operator()),
        }
    }

    fn seal_key(&self, key: &ApiKey) -> String {
        let rng = &mut self.infra.ids.rng();
        self.infra.vault.seal(key.as_str().as_bytes(), rng)
    }

    fn new_user(&self, new: NewUser, key: &ApiKey) -> User {
        let NewUser {
            username,
            email,
            plan,
            operator,
        } = new;
        User {
            id: UserId::random(&mut self.infra.ids.rng()),
            username,
            email,
            plan,
            operator,
            key_sealed: self.seal_key(key),
            created_at: self.infra.creation_ms(),
        }
    }

    async fn insert(
        &self,
        user: &User,
        key: &ApiKey,
        origin: Origin,
        created: Change,
    ) -> Result<(), EngineError> {
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        let row = user.clone();
        let inserted = self.infra.store.write(move |c| {
            users::insert(c, &row, &fingerprint)?;
            match &origin {
                Origin::Operator => {}
                Origin::User => users::set_email_claimed(c, &row.id, true)?,
                Origin::Provider(identity) => {
                    identities::link(c, &row.id, identity)?;
                }
            }
            created.record(c)
        });
        inserted.await.map_err(name_conflict)
    }
}

/// Where a new user and its mail address come from.
enum Origin {
    Operator,
    User,
    Provider(Identity),
}

/// The result of a change of a user.
enum Updated {
    User(User),
    NoUser,
    LastOperator,
}

fn name_conflict(error: StoreError) -> EngineError {
    match error {
        StoreError::Conflict(_) => EngineError::Conflict("the username is taken".to_owned()),
        other => other.into(),
    }
}

fn last_operator() -> EngineError {
    let text = "this is the last operator: make another user an operator first";
    EngineError::Conflict(text.to_owned())
}
