//! Daily quotas of free-plan users, counted in memory beside the durable count, so that the hot path reads no store. Among other
//! nodes the durable count is read again every few seconds, because they use the quotas too.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_infra::{Infra, MS_PER_DAY};
use sluice_model::UserId;
use sluice_store::{
    StoreError,
    usage::{self, Usage},
    users::{self, Plan},
};

use crate::error::EngineError;

/// How long a count is relied on among other nodes.
const FRESH_MS: i64 = 5_000;
/// The same for a node that is alone, and may not have been so when it read the count.
const FRESH_ALONE_MS: i64 = 60_000;

/// Cheap to clone; all clones share one count.
#[derive(Clone)]
pub struct Quotas {
    infra: Infra,
    invocations: Option<u64>,
    compute_ms: Option<u64>,
    today: Arc<Mutex<HashMap<UserId, Account>>>,
}

/// A user's quota, as far as it is known without a read of the store.
pub(crate) enum QuotaStatus {
    Within,
    Exceeded(QuotaExceeded),
    Unknown,
}

/// The exhausted quota, and the time until it is renewed.
pub(crate) struct QuotaExceeded {
    pub(crate) quota: &'static str,
    pub(crate) retry_after: Duration,
}

#[derive(Clone, Copy)]
struct Account {
    day: i64,
    read_at: i64,
    plan: Plan,
    used: Usage,
}

impl Quotas {
    pub(crate) fn new(infra: Infra) -> Quotas {
        Quotas {
            invocations: infra.settings.daily_invocations_quota,
            compute_ms: infra.settings.daily_compute_quota_ms,
            today: Arc::default(),
            infra,
        }
    }

    /// Whether any quota is configured.
    pub(crate) fn are_set(&self) -> bool {
        self.invocations.is_some() || self.compute_ms.is_some()
    }

    /// Fails for a user whose quota of the day is exhausted.
    pub async fn check(&self, user: &UserId) -> Result<(), EngineError> {
        if !self.are_set() {
            return Ok(());
        }
        let now_ms = self.infra.now_ms();
        let day = now_ms.div_euclid(MS_PER_DAY);
        let account = match self.known(user, now_ms) {
            Some(account) => account,
            None => self.load(user, day).await?,
        };
        match self.exceeded(&account, now_ms) {
            None => Ok(()),
            Some(QuotaExceeded { quota, retry_after }) => {
                Err(EngineError::QuotaExceeded { quota, retry_after })
            }
        }
    }

    pub(crate) fn status(&self, user: &UserId) -> QuotaStatus {
        if !self.are_set() {
            return QuotaStatus::Within;
        }
        let now_ms = self.infra.now_ms();
        match self.known(user, now_ms) {
            None => QuotaStatus::Unknown,
            Some(account) => self
                .exceeded(&account, now_ms)
                .map_or(QuotaStatus::Within, QuotaStatus::Exceeded),
        }
    }

    fn known(&self, user: &UserId, now_ms: i64) -> Option<Account> {
        let account = self.today.lock().get(user).copied();
        let account = account.filter(|account| account.day == now_ms.div_euclid(MS_PER_DAY))?;
        let cluster = &self.infra.cluster;
        let fresh_ms = if cluster.is_alone() {
            FRESH_ALONE_MS
        } else {
            FRESH_MS
        };
        let is_fresh = (0..fresh_ms).contains(&(now_ms - account.read_at));
        (is_fresh || cluster.owns_database()).then_some(account)
    }

    fn exceeded(&self, account: &Account, now_ms: i64) -> Option<QuotaExceeded> {
        if account.plan == Plan::Paid {
            return None;
        }
        let used = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        let quota = if used(self.invocations, account.used.invocations) {
            "daily invocations quota"
        } else if used(self.compute_ms, account.used.compute_ms) {
            "daily compute time quota"
        } else {
            return None;
        };
        let left_ms = (account.day + 1) * MS_PER_DAY - now_ms;
        let retry_after = Duration::from_millis(u64::try_from(left_ms).unwrap_or(0));
        Some(QuotaExceeded { quota, retry_after })
    }

    async fn load(&self, user: &UserId, day: i64) -> Result<Account, EngineError> {
        let id = user.clone();
        let (plan, usage) = self
            .infra
            .store
            .read(move |c| {
                let plan = users::get(c, &id)?.map_or(Plan::Free, |user| user.plan);
                Ok((plan, usage::of_day(c, &id, day)?))
            })
            .await?;
        let account = Account {
            day,
            read_at: self.infra.now_ms(),
            plan,
            used: usage,
        };
        let mut today = self.today.lock();
        today.retain(|_, account| account.day == day);
        today.insert(user.clone(), account);
        Ok(account)
    }

    /// Stores and counts usage that no commit has, of a call that a user made.
    pub async fn charge(&self, user: &UserId, usage: Usage) -> Result<(), StoreError> {
        let day = self.infra.now_ms().div_euclid(MS_PER_DAY);
        let of = user.clone();
        let stored = self
            .infra
            .store
            .write(move |c| usage::add(c, &of, day, usage));
        stored.await?;
        self.used(user, usage);
        Ok(())
    }

    /// Counts committed usage. The usage of a new day is read at the next check.
    pub fn used(&self, user: &UserId, more: Usage) {
        if !self.are_set() {
            return;
        }
        if let Some(account) = self.today.lock().get_mut(user) {
            account.used.invocations += more.invocations;
            account.used.compute_ms += more.compute_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_cluster::testing as cluster;
    use sluice_infra::{Settings, testing};
    use sluice_model::ManualClock;

    use super::*;

    #[tokio::test]
    async fn usage_on_other_nodes_counts_within_seconds() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(testing::NOW);
        let settings = Settings {
            daily_invocations_quota: Some(10),
            ..testing::settings(folder.path())
        };
        let mut infra = testing::infra_at(folder.path(), Arc::new(clock.clone()), settings);
        infra.cluster = cluster::node("a").await;
        let (quotas, user) = (Quotas::new(infra.clone()), UserId::parse("u_a").unwrap());
        assert!(quotas.check(&user).await.is_ok());

        let (id, day) = (user.clone(), testing::NOW.div_euclid(MS_PER_DAY));
        let more = Usage {
            invocations: 10,
            compute_ms: 1,
        };
        let elsewhere = infra.store.write(move |c| usage::add(c, &id, day, more));
        elsewhere.await.unwrap();
        assert!(matches!(quotas.status(&user), QuotaStatus::Within));
        clock.advance(FRESH_MS);
        assert!(matches!(quotas.status(&user), QuotaStatus::Unknown));
        assert!(quotas.check(&user).await.is_err());
        assert!(matches!(quotas.status(&user), QuotaStatus::Exceeded(_)));

        // A node that is alone relies on its own count for longer.
        cluster::set_alone(&infra.cluster);
        clock.advance(FRESH_MS);
        assert!(matches!(quotas.status(&user), QuotaStatus::Exceeded(_)));
        clock.advance(FRESH_ALONE_MS);
        assert!(matches!(quotas.status(&user), QuotaStatus::Unknown));
    }
}
