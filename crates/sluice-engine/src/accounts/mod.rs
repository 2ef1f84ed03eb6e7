//! Apps and users' accounts with them: credentials are sealed in the store, renewed before they expire, and handed to
//! the components that use them.
//!
//! A process learns `$auth` from the owner of its source, before the first invocation and again whenever it has changed
//! ([`Grants`]). What the store says of an account is remembered for a moment ([`Slot`]), so that asking before every
//! invocation costs next to nothing; whoever changes an account makes it forgotten.

mod apps;
mod connect;
mod credentials;
mod grants;
mod manage;
mod oauth;
mod props;
mod renewal;
mod slot;

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use sluice_model::{AccountId, Clock, UserId};
use sluice_store::{Store, Vault};

pub use apps::NewApp;
pub use connect::{Connecting, ProviderAnswer, Returned};
pub(crate) use grants::{Grants, Standing};
pub use manage::{AccountChange, AccountView, NewAccount};
use oauth::Provider;
pub(crate) use props::app_value;
pub(crate) use slot::Slot;

/// What is known of the accounts in use, and the means to learn more.
pub(crate) struct Accounts {
    store: Store,
    vault: Vault,
    clock: Arc<dyn Clock>,
    provider: Provider,
    slots: Mutex<HashMap<(UserId, AccountId), Weak<Slot>>>,
}

impl Accounts {
    pub(crate) fn new(
        store: Store,
        vault: Vault,
        clock: Arc<dyn Clock>,
    ) -> Result<Accounts, reqwest::Error> {
        Ok(Accounts {
            store,
            vault,
            clock,
            provider: Provider::new()?,
            slots: Mutex::default(),
        })
    }

    /// The place where everyone who uses the account finds what is known of it.
    pub(crate) fn slot(&self, user: &UserId, account: &AccountId) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let key = (user.clone(), account.clone());
        if let Some(slot) = slots.get(&key).and_then(Weak::upgrade) {
            return slot;
        }
        slots.retain(|_, slot| slot.strong_count() > 0);
        let slot = Arc::new(Slot::new(user.clone(), account.clone()));
        slots.insert(key, Arc::downgrade(&slot));
        slot
    }

    /// The account has changed: whoever uses it reads it again.
    fn forget(&self, user: &UserId, account: &AccountId) {
        let known = self
            .slots
            .lock()
            .get(&(user.clone(), account.clone()))
            .cloned();
        if let Some(slot) = known.and_then(|slot| slot.upgrade()) {
            slot.forget();
        }
    }

    /// An app has changed, and with it perhaps every account.
    pub(crate) fn forget_all(&self) {
        for slot in self.slots.lock().values().filter_map(Weak::upgrade) {
            slot.forget();
        }
    }
}
