//! Credentials of the accounts that running components use: opened, cached, and renewed before they expire.
//!
//! A process gets `$auth` from the owner of its source or workflow, before the first invocation and again whenever it has
//! changed ([`Grants`]). An account's credentials are cached for a moment ([`AccountEntry`]), so that a check before each
//! invocation costs next to nothing. A change of the account invalidates the entry.

mod entry;
mod grants;
pub mod oauth;
mod props;
mod renewal;
mod stored;

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use sluice_infra::Infra;
use sluice_model::{AccountId, UserId};

pub use entry::AccountEntry;
pub use grants::{GrantStatus, Grants};
pub use props::{account_of, app_value, is_app};
pub use stored::{StoredCredentials, Tokens};

use oauth::Provider;

/// Cheap to clone; all clones share one cache.
#[derive(Clone)]
pub struct Credentials(Arc<Inner>);

struct Inner {
    infra: Infra,
    provider: Provider,
    entries: Mutex<HashMap<(UserId, AccountId), Weak<AccountEntry>>>,
}

impl Credentials {
    pub fn new(infra: Infra) -> Result<Credentials, reqwest::Error> {
        Ok(Credentials(Arc::new(Inner {
            infra,
            provider: Provider::new()?,
            entries: Mutex::default(),
        })))
    }

    /// The client of OAuth providers.
    pub fn provider(&self) -> &Provider {
        &self.0.provider
    }

    /// The entry that all users of the account share.
    pub fn entry(&self, user: &UserId, account: &AccountId) -> Arc<AccountEntry> {
        let mut entries = self.0.entries.lock();
        let key = (user.clone(), account.clone());
        if let Some(entry) = entries.get(&key).and_then(Weak::upgrade) {
            return entry;
        }
        entries.retain(|_, entry| entry.strong_count() > 0);
        let entry = Arc::new(AccountEntry::new(user.clone(), account.clone()));
        entries.insert(key, Arc::downgrade(&entry));
        entry
    }

    /// The account has changed: it is read again.
    pub fn forget(&self, user: &UserId, account: &AccountId) {
        let key = (user.clone(), account.clone());
        let entry = self.0.entries.lock().get(&key).cloned();
        if let Some(entry) = entry.and_then(|entry| entry.upgrade()) {
            entry.invalidate();
        }
    }

    /// An app has changed, and possibly every account with it.
    pub fn forget_all(&self) {
        for entry in self.0.entries.lock().values().filter_map(Weak::upgrade) {
            entry.invalidate();
        }
    }
}
