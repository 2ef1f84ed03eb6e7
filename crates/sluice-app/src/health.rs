//! Health of the sources and workflows of an account: events and errors of the last 24 hours.
//!
//! In a large account this is a sum over hundreds of thousands of rows, and the console polls it. The sums of large accounts
//! are therefore cached for a few seconds.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_store::{
    StoreError,
    emitters::{self, EmitterActivity},
};
use tokio::sync::Mutex;

use crate::activity::LAST_DAY;

/// Accounts with more active sources and workflows than this are cached.
const LARGE: usize = 1_000;
const CACHED_FOR: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountHealth {
    /// The first hour of the sums.
    pub(crate) since: i64,
    pub(crate) sources: Vec<EmitterActivity>,
    pub(crate) workflows: Vec<EmitterActivity>,
}

impl AccountHealth {
    pub(crate) fn all(&self) -> impl Iterator<Item = &EmitterActivity> {
        self.sources.iter().chain(&self.workflows)
    }
}

/// Reads the health of accounts. Concurrent requests for one account share a single read.
#[derive(Clone)]
pub(crate) struct Health {
    infra: Infra,
    cache: Arc<HealthCache>,
}

/// The health of large accounts.
#[derive(Default)]
struct HealthCache {
    accounts: parking_lot::Mutex<HashMap<UserId, Account>>,
}

type Account = Arc<Mutex<Option<Snapshot>>>;

struct Snapshot {
    at: Instant,
    health: Arc<AccountHealth>,
}

impl Snapshot {
    fn is_current(&self, since: i64, now: Instant) -> bool {
        now.duration_since(self.at) < CACHED_FOR && self.health.since == since
    }
}

impl Health {
    pub(crate) fn new(infra: &Infra) -> Health {
        Health {
            infra: infra.clone(),
            cache: Arc::default(),
        }
    }

    pub(crate) async fn of(&self, user: &UserId) -> Result<Arc<AccountHealth>, EngineError> {
        let since = LAST_DAY.first_hour(self.infra.now_ms());
        let owner = user.clone();
        let summed = self.infra.store.read(move |c| {
            Ok(AccountHealth {
                since,
                sources: emitters::sources(c, &owner, since)?,
                workflows: emitters::workflows(c, &owner, since)?,
            })
        });
        self.cache.get(user, since, Instant::now(), summed).await
    }
}

impl HealthCache {
    /// The cached snapshot, or else the result of `read`, which is polled only then.
    async fn get(
        &self,
        user: &UserId,
        since: i64,
        now: Instant,
        read: impl Future<Output = Result<AccountHealth, StoreError>>,
    ) -> Result<Arc<AccountHealth>, EngineError> {
        let account = self.account(user, since, now);
        let mut cached = account.lock().await;
        if let Some(snapshot) = cached.as_ref().filter(|it| it.is_current(since, now)) {
            return Ok(Arc::clone(&snapshot.health));
        }
        let health = Arc::new(read.await?);
        *cached = (health.all().count() > LARGE).then(|| Snapshot {
            at: now,
            health: Arc::clone(&health),
        });
        Ok(health)
    }

    /// The entry of an account. Outdated snapshots of other accounts are dropped.
    fn account(&self, user: &UserId, since: i64, now: Instant) -> Account {
        let mut accounts = self.accounts.lock();
        accounts.retain(|_, account| match account.try_lock() {
            Ok(cached) => cached.as_ref().is_some_and(|it| it.is_current(since, now)),
            Err(_) => true,
        });
        Arc::clone(accounts.entry(user.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::EmitterId;

    use super::*;

    fn user(tail: &str) -> UserId {
        UserId::parse(&format!("u_{tail}")).unwrap()
    }

    fn health(since: i64, count: usize, events: u64) -> AccountHealth {
        let one = EmitterActivity {
            id: EmitterId::parse("dc_a").unwrap(),
            events,
            errors: 0,
        };
        AccountHealth {
            since,
            sources: vec![one; count],
            workflows: Vec::new(),
        }
    }

    /// The events that a reader sees when the store has `events` by now.
    async fn seen(cache: &HealthCache, at: (i64, Instant), count: usize, events: u64) -> u64 {
        let (since, now) = at;
        let read = async { Ok(health(since, count, events)) };
        let seen = cache.get(&user("a"), since, now, read).await;
        seen.unwrap().sources[0].events
    }

    #[tokio::test]
    async fn only_large_accounts_are_cached_and_only_for_a_while() {
        let cache = HealthCache::default();
        let now = Instant::now();
        assert_eq!(seen(&cache, (5, now), LARGE, 1).await, 1);
        assert_eq!(seen(&cache, (5, now), LARGE + 1, 2).await, 2);
        assert_eq!(seen(&cache, (5, now), LARGE + 1, 3).await, 2);
        // The next hour.
        assert_eq!(seen(&cache, (6, now), LARGE + 1, 4).await, 4);
        let later = now + CACHED_FOR;
        assert_eq!(seen(&cache, (6, later), LARGE + 1, 5).await, 5);
    }

    #[tokio::test]
    async fn outdated_snapshots_are_dropped() {
        let cache = HealthCache::default();
        let now = Instant::now();
        seen(&cache, (5, now), LARGE + 1, 1).await;
        let read = async { Ok(health(5, 1, 1)) };
        let (other, later) = (user("b"), now + CACHED_FOR);
        cache.get(&other, 5, later, read).await.unwrap();
        let left: Vec<_> = cache.accounts.lock().keys().cloned().collect();
        assert_eq!(left, [user("b")]);
    }
}
