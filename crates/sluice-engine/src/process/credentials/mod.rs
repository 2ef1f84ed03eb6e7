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
use sluice_cluster::Hint;
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

    /// The account has changed: it is read again, on all nodes.
    pub fn forget(&self, user: &UserId, account: &AccountId) {
        let key = (user.clone(), account.clone());
        let entry = self.0.entries.lock().get(&key).cloned();
        if let Some(entry) = entry.and_then(|entry| entry.upgrade()) {
            entry.invalidate();
        }
        self.tell_others();
    }

    /// An app has changed, and possibly every account with it.
    pub fn forget_all(&self) {
        self.read_again();
        self.tell_others();
    }

    /// Without the hint, other nodes would use old credentials until their cached results expire.
    fn tell_others(&self) {
        let cluster = &self.0.infra.cluster;
        if !cluster.is_alone() {
            cluster.hint_all(&Hint::Accounts);
        }
    }

    /// Reads all accounts again, on this node.
    pub(crate) fn read_again(&self) {
        for entry in self.0.entries.lock().values().filter_map(Weak::upgrade) {
            entry.invalidate();
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_cluster::testing as cluster;
    use sluice_infra::testing;

    use super::*;

    #[tokio::test]
    async fn a_change_of_an_account_is_told_to_other_nodes() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (mut infra, _) = testing::infra(folder.path());
        let (a, b) = (cluster::node("a").await, cluster::node("b").await);
        cluster::introduce(&[&a, &b]);
        infra.cluster = a;
        let credentials = Credentials::new(infra).unwrap();
        let mut heard = b.take_inbound().unwrap();
        let (user, account) = (UserId::parse("u_a"), AccountId::parse("apn_a"));
        let (user, account) = (user.unwrap(), account.unwrap());
        let entry = credentials.entry(&user, &account);
        let changes: [&dyn Fn(); 2] = [&|| credentials.forget(&user, &account), &|| {
            credentials.forget_all();
        }];
        for change in changes {
            let generation = entry.generation();
            change();
            assert!(entry.generation() > generation);
            assert_eq!(heard.recv().await.unwrap().hint, Hint::Accounts);
        }
    }
}
