//! The cached credentials of one account in use.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use sluice_model::{AccountId, UserId};

/// No result is cached for longer.
const MAX_CACHED_MS: i64 = 60_000;

/// `$auth`, or the reason why the account cannot be used.
pub(super) type AuthResult = Result<Arc<Auth>, Arc<str>>;

#[derive(Debug, PartialEq)]
pub(super) struct Auth {
    pub(super) app_slug: String,
    pub(super) fields: Map<String, Value>,
}

/// A result with its expiry.
pub(super) struct CachedAuth {
    pub(super) result: AuthResult,
    pub(super) until: i64,
}

pub struct AccountEntry {
    pub(super) user: UserId,
    pub(super) account: AccountId,
    state: Mutex<State>,
    /// Held during a refresh. Concurrent refreshes wait for its result.
    pub(super) refresh: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    cached: Option<CachedAuth>,
    generation: u64,
    failures: u32,
    postponed: Option<PostponedRenewal>,
}

/// A failed renewal of one version of the credentials. It is retried after `until`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PostponedRenewal {
    pub(super) version: i64,
    pub(super) until: i64,
    pub(super) reason: Arc<str>,
}

impl AccountEntry {
    pub(super) fn new(user: UserId, account: AccountId) -> AccountEntry {
        AccountEntry {
            user,
            account,
            state: Mutex::default(),
            refresh: tokio::sync::Mutex::default(),
        }
    }

    /// The cached result, unless it has expired.
    pub(super) fn result(&self, now: i64) -> Option<AuthResult> {
        let state = self.state.lock();
        let cached = state.cached.as_ref()?;
        // A longer lifetime means that the clock was set back.
        let is_fresh = now < cached.until && cached.until - now <= MAX_CACHED_MS;
        is_fresh.then(|| cached.result.clone())
    }

    pub(super) fn invalidate(&self) {
        let mut state = self.state.lock();
        state.cached = None;
        state.generation += 1;
    }

    pub(super) fn generation(&self) -> u64 {
        self.state.lock().generation
    }

    /// Caches a result, unless the account has changed since `generation` was read.
    pub(super) fn cache(&self, generation: u64, cached: CachedAuth) {
        let mut state = self.state.lock();
        if state.generation == generation {
            state.cached = Some(cached);
        }
    }

    /// Counts a failed renewal; returns the number of failures in a row.
    pub(super) fn failed(&self) -> u32 {
        let mut state = self.state.lock();
        state.failures = state.failures.saturating_add(1);
        state.failures
    }

    /// Records a postponed renewal. Invalidating the entry does not bring it forward.
    pub(super) fn postpone(&self, postponed: PostponedRenewal) {
        self.state.lock().postponed = Some(postponed);
    }

    /// The postponed renewal of this version, while it waits.
    pub(super) fn postponed(&self, version: i64, now: i64) -> Option<PostponedRenewal> {
        let postponed = self.state.lock().postponed.clone();
        postponed.filter(|it| it.version == version && now < it.until)
    }

    pub(super) fn succeeded(&self) {
        let mut state = self.state.lock();
        state.failures = 0;
        state.postponed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> AccountEntry {
        AccountEntry::new(
            UserId::parse("u_a").unwrap(),
            AccountId::parse("apn_a").unwrap(),
        )
    }

    fn cached(until: i64) -> CachedAuth {
        CachedAuth {
            result: Err(Arc::from("no")),
            until,
        }
    }

    #[test]
    fn an_answer_is_believed_for_its_time() {
        let slot = slot();
        slot.cache(slot.generation(), cached(10));
        assert!(slot.result(9).is_some());
        assert!(slot.result(10).is_none());
    }

    #[test]
    fn why_a_renewal_was_postponed_is_known_until_it_is_tried_again() {
        let slot = slot();
        let postponed = PostponedRenewal {
            version: 3,
            until: 10,
            reason: Arc::from("it answered 503"),
        };
        slot.postpone(postponed.clone());
        slot.invalidate();
        assert_eq!(slot.postponed(3, 9), Some(postponed));
        assert_eq!(slot.postponed(3, 10), None);
        assert_eq!(slot.postponed(4, 9), None);
        slot.succeeded();
        assert_eq!(slot.postponed(3, 9), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_believed_after_it() {
        let slot = slot();
        let before = slot.generation();
        slot.invalidate();
        slot.cache(before, cached(10));
        assert!(slot.result(0).is_none());
    }
}
