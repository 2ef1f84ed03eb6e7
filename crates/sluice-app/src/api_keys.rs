//! API keys: whose key a request has, and the named keys of users.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_DAY};
use sluice_model::{ApiKey, ApiKeyId, Scope, Scopes, UserId};
use sluice_store::{
    Page, StoreError,
    api_keys::{self, AgentAccess, KeyOwner, NamedKey},
    audit::{Action, TargetKind},
    users,
};

use crate::{
    audit::{Actor, Change, Target},
    listing::Listing,
};

/// Named keys of one user.
pub const MAX_KEYS: u64 = 100;
/// The use of a key is recorded at most this often.
const TOUCHED_EVERY_MS: i64 = 60_000;
/// The recent uses that this server remembers. Beyond them a use is recorded more often.
const REMEMBERED_USES: usize = 10_000;
/// The characters of a key that its user sees later.
const LAST_CHARACTERS: usize = 4;
const SHORTEST_LIFETIME_S: u64 = 60;
const LONGEST_LIFETIME_S: u64 = 3_650 * (MS_PER_DAY / 1000).unsigned_abs();

/// A named key to create.
pub struct NewKey {
    pub name: String,
    pub scopes: Scopes,
    /// The time until it expires, in seconds. Without one it does not expire.
    pub lifetime_s: Option<u64>,
}

/// A key that was given out. Named keys stay known until their user deletes them.
#[derive(Debug)]
pub struct KnownKey {
    pub owner: KeyOwner,
    pub is_expired: bool,
}

/// Finds the owners of keys, and manages named keys.
#[derive(Clone)]
pub struct ApiKeys {
    infra: Infra,
    /// When uses were last recorded.
    uses: Arc<Mutex<HashMap<ApiKeyId, i64>>>,
}

impl ApiKeys {
    pub fn new(infra: &Infra) -> ApiKeys {
        ApiKeys {
            infra: infra.clone(),
            uses: Arc::default(),
        }
    }

    /// The owner of a key: a main key, or a named key that has not expired.
    pub async fn authenticate(&self, key: &str) -> Result<Option<KeyOwner>, EngineError> {
        let known = self.look_up(key).await?;
        Ok(known.filter(|key| !key.is_expired).map(|key| key.owner))
    }

    /// The owner of a key, also of an expired one. Records the use of a valid named key.
    pub async fn look_up(&self, key: &str) -> Result<Option<KnownKey>, EngineError> {
        let Some(key) = ApiKey::parse(key) else {
            return Ok(None);
        };
        let fingerprint = self.infra.vault.fingerprint(key.as_str());
        let store = &self.infra.store;
        let owner = store
            .read(move |c| api_keys::owner(c, &fingerprint))
            .await?;
        let now = self.infra.now_ms();
        Ok(owner.map(|owner| {
            let named = owner.named.as_ref();
            let is_expired = named.is_some_and(|key| key.is_expired(now));
            if let Some(key) = named.filter(|_| !is_expired) {
                self.record_use(key, now);
            }
            KnownKey { owner, is_expired }
        }))
    }

    pub async fn list(&self, user: &UserId, page: Page) -> Result<Listing<NamedKey>, EngineError> {
        let user = user.clone();
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: api_keys::count(c, &user)?,
                rows: api_keys::page(c, &user, &page)?,
            })
        });
        Ok(listing.await?)
    }

    /// Creates a key, which must expire before `latest` if that is given: a key that expires cannot create a lasting one.
    pub async fn create(
        &self,
        actor: &Actor,
        new: NewKey,
        latest: Option<i64>,
    ) -> Result<(NamedKey, ApiKey), EngineError> {
        let id = ApiKeyId::random(&mut self.infra.ids.rng());
        self.create_as(actor, id, new, latest, None).await
    }

    /// As [`ApiKeys::create`], with this id, for an application if `access` is given. Conflicts if there is a key that has
    /// the id.
    pub(crate) async fn create_as(
        &self,
        actor: &Actor,
        id: ApiKeyId,
        new: NewKey,
        latest: Option<i64>,
        access: Option<AgentAccess>,
    ) -> Result<(NamedKey, ApiKey), EngineError> {
        let created_at = self.infra.creation_ms();
        let expires_at = new.expires_at(created_at)?;
        if let Some(latest) = latest {
            must_end_before(latest, expires_at)?;
        }
        let key = ApiKey::random(&mut self.infra.ids.rng());
        let characters = key.as_str();
        let row = NamedKey {
            id,
            user_id: actor.user_id.clone(),
            name: new.name,
            scopes: new.scopes,
            last_characters: last_characters(&key),
            created_at,
            expires_at,
            last_used_at: None,
            access,
        };
        let scopes: Vec<&str> = row.scopes.iter().map(Scope::as_str).collect();
        let created = self
            .change(actor, Action::KeyCreate, &row)
            .with("scopes", scopes)
            .with("expires_at", row.expires_at);
        let fingerprint = self.infra.vault.fingerprint(characters);
        self.insert(row.clone(), fingerprint, created).await?;
        Ok((row, key))
    }

    async fn insert(
        &self,
        row: NamedKey,
        fingerprint: String,
        created: Change,
    ) -> Result<(), EngineError> {
        let inserted = self.infra.store.write(move |c| {
            // Keys that are created together are counted one after the other, and none is left of a removed user.
            users::hold(c, &row.user_id)?;
            let has_room = api_keys::count(c, &row.user_id)? < MAX_KEYS;
            if has_room {
                api_keys::insert(c, &row, &fingerprint)?;
                created.record(c)?;
            }
            Ok::<_, StoreError>(has_room)
        });
        if inserted.await? {
            return Ok(());
        }
        Err(EngineError::Conflict(format!(
            "you have {MAX_KEYS} named keys, which is the most: delete one first"
        )))
    }

    /// Deletes a key, which stops working at once.
    pub async fn delete(&self, actor: &Actor, key: &ApiKeyId) -> Result<(), EngineError> {
        let unnamed = Target::new(TargetKind::Key, key, "");
        let deleted = Change::new(&self.infra, actor, Action::KeyDelete, unnamed);
        let (user, key) = (actor.user_id.clone(), key.clone());
        let removed = self.infra.store.write(move |c| {
            let removed = api_keys::remove(c, &user, &key)?;
            if removed {
                deleted.record(c)?;
            }
            Ok(removed)
        });
        let missing = || EngineError::NotFound("key");
        removed.await?.then_some(()).ok_or_else(missing)
    }

    fn change(&self, actor: &Actor, action: Action, key: &NamedKey) -> Change {
        let target = Target::new(TargetKind::Key, &key.id, &key.name);
        Change::new(&self.infra, actor, action, target)
    }

    /// Records a use in the background, unless one was recorded a short time ago. A lost record does no harm.
    fn record_use(&self, key: &NamedKey, now: i64) {
        let is_recent = |last: Option<i64>| {
            last.is_some_and(|at| now.abs_diff(at) < TOUCHED_EVERY_MS.unsigned_abs())
        };
        if is_recent(key.last_used_at) {
            return;
        }
        {
            let mut uses = self.uses.lock();
            if is_recent(uses.get(&key.id).copied()) {
                return;
            }
            if uses.len() >= REMEMBERED_USES {
                uses.clear();
            }
            uses.insert(key.id.clone(), now);
        }
        let (store, id) = (self.infra.store.clone(), key.id.clone());
        self.infra.shutdown.spawn(async move {
            let before = now - TOUCHED_EVERY_MS;
            let key = id.clone();
            let touched = store.write(move |c| api_keys::touch(c, &key, before, now));
            if let Err(error) = touched.await {
                tracing::warn!(key = id.as_str(), %error, "use of an API key not recorded");
            }
        });
    }
}

/// The part of a key that its user sees later.
pub(crate) fn last_characters(key: &ApiKey) -> String {
    let text = key.as_str();
    text[text.len() - LAST_CHARACTERS..].to_owned()
}

impl NewKey {
    fn expires_at(&self, created_at: i64) -> Result<Option<i64>, EngineError> {
        if self.scopes.is_empty() {
            let text = "a key needs at least one scope: read, run, deploy or operate";
            return Err(EngineError::BadRequest(text.to_owned()));
        }
        let Some(seconds) = self.lifetime_s else {
            return Ok(None);
        };
        if !(SHORTEST_LIFETIME_S..=LONGEST_LIFETIME_S).contains(&seconds) {
            return Err(EngineError::BadRequest(format!(
                "expires_in must be between {SHORTEST_LIFETIME_S} and {LONGEST_LIFETIME_S} seconds"
            )));
        }
        let lifetime_ms = i64::try_from(seconds * 1000).unwrap_or(i64::MAX);
        Ok(Some(created_at.saturating_add(lifetime_ms)))
    }
}

fn must_end_before(latest: i64, expires_at: Option<i64>) -> Result<(), EngineError> {
    if expires_at.is_some_and(|at| at <= latest) {
        return Ok(());
    }
    let text = "a key cannot create one that lasts longer: give an expires_in that ends before this key does";
    Err(EngineError::BadRequest(text.to_owned()))
}
