//! Daily quotas of free-plan users, counted in memory beside the durable count so that the hot path asks
//! nobody.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use sluice_infra::{MS_PER_DAY, Settings};
use sluice_model::UserId;
use sluice_store::{
    Store,
    usage::{self, Usage},
    users::{self, Plan},
};

use crate::error::EngineError;

pub(crate) struct Quotas {
    invocations: Option<u64>,
    compute_ms: Option<u64>,
    today: Mutex<HashMap<UserId, Account>>,
}

/// How a user stands, as far as it is known without asking the store.
pub(crate) enum Standing {
    Within,
    Exceeded(Exceeded),
    Unknown,
}

/// What a user has used up, and when there is more.
pub(crate) struct Exceeded {
    pub(crate) what: &'static str,
    pub(crate) retry_after: Duration,
}

#[derive(Clone, Copy)]
struct Account {
    day: i64,
    plan: Plan,
    used: Usage,
}

impl Quotas {
    pub(crate) fn new(settings: &Settings) -> Quotas {
        Quotas {
            invocations: settings.daily_invocations_quota,
            compute_ms: settings.daily_compute_quota_ms,
            today: Mutex::default(),
        }
    }

    /// Whether any user can run out at all.
    pub(crate) fn are_set(&self) -> bool {
        self.invocations.is_some() || self.compute_ms.is_some()
    }

    /// Refuses a user who has used up the day.
    pub(crate) async fn check(
        &self,
        store: &Store,
        user: &UserId,
        now_ms: i64,
    ) -> Result<(), EngineError> {
        if !self.are_set() {
            return Ok(());
        }
        let day = now_ms.div_euclid(MS_PER_DAY);
        let account = match self.known(user, day) {
            Some(account) => account,
            None => self.load(store, user, day).await?,
        };
        match self.exceeded(&account, now_ms) {
            None => Ok(()),
            Some(Exceeded { what, retry_after }) => {
                Err(EngineError::QuotaExceeded { what, retry_after })
            }
        }
    }

    pub(crate) fn standing(&self, user: &UserId, now_ms: i64) -> Standing {
        if !self.are_set() {
            return Standing::Within;
        }
        match self.known(user, now_ms.div_euclid(MS_PER_DAY)) {
            None => Standing::Unknown,
            Some(account) => self
                .exceeded(&account, now_ms)
                .map_or(Standing::Within, Standing::Exceeded),
        }
    }

    fn known(&self, user: &UserId, day: i64) -> Option<Account> {
        let account = self.today.lock().get(user).copied();
        account.filter(|account| account.day == day)
    }

    fn exceeded(&self, account: &Account, now_ms: i64) -> Option<Exceeded> {
        if account.plan == Plan::Paid {
            return None;
        }
        let used = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        let what = if used(self.invocations, account.used.invocations) {
            "daily invocations quota"
        } else if used(self.compute_ms, account.used.compute_ms) {
            "daily compute time quota"
        } else {
            return None;
        };
        let left_ms = (account.day + 1) * MS_PER_DAY - now_ms;
        let retry_after = Duration::from_millis(u64::try_from(left_ms).unwrap_or(0));
        Some(Exceeded { what, retry_after })
    }

    async fn load(&self, store: &Store, user: &UserId, day: i64) -> Result<Account, EngineError> {
        let id = user.clone();
        let (plan, so_far) = store
            .read(move |c| {
                let plan = users::get(c, &id)?.map_or(Plan::Free, |user| user.plan);
                Ok((plan, usage::of_day(c, &id, day)?))
            })
            .await?;
        let account = Account {
            day,
            plan,
            used: so_far,
        };
        self.today.lock().insert(user.clone(), account);
        Ok(account)
    }

    /// Counts what was just committed; what belongs to a new day is read anew at the next check.
    pub(crate) fn used(&self, user: &UserId, more: Usage) {
        if !self.are_set() {
            return;
        }
        if let Some(account) = self.today.lock().get_mut(user) {
            account.used.invocations += more.invocations;
            account.used.compute_ms += more.compute_ms;
        }
    }
}
