//! Daily quotas of free-plan users, counted in memory beside the durable count, so that the hot path reads no store.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_infra::{Infra, MS_PER_DAY};
use sluice_model::UserId;
use sluice_store::{
    usage::{self, Usage},
    users::{self, Plan},
};

use crate::error::EngineError;

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
        let account = match self.known(user, day) {
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
        match self.known(user, now_ms.div_euclid(MS_PER_DAY)) {
            None => QuotaStatus::Unknown,
            Some(account) => self
                .exceeded(&account, now_ms)
                .map_or(QuotaStatus::Within, QuotaStatus::Exceeded),
        }
    }

    fn known(&self, user: &UserId, day: i64) -> Option<Account> {
        let account = self.today.lock().get(user).copied();
        account.filter(|account| account.day == day)
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
            plan,
            used: usage,
        };
        let mut today = self.today.lock();
        today.retain(|_, account| account.day == day);
        today.insert(user.clone(), account);
        Ok(account)
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
