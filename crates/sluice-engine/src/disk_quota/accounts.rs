//! The disk space of active users, as last measured, with what they wrote since.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_model::UserId;

use super::rules::Used;
use crate::error::EngineError;

/// Deleted data is noticed within this time.
const RETRY_AFTER: Duration = Duration::from_mins(1);

/// Cheap to clone; all clones share the measurements.
#[derive(Clone)]
pub struct DiskQuotas {
    /// In bytes.
    pub(super) quota: Option<u64>,
    users: Arc<Mutex<HashMap<UserId, Account>>>,
}

#[derive(Default)]
struct Account {
    measured: Option<Used>,
    /// Bytes written since.
    written: u64,
    is_full: bool,
}

impl DiskQuotas {
    pub(crate) fn new(quota: Option<u64>) -> DiskQuotas {
        DiskQuotas {
            quota,
            users: Arc::default(),
        }
    }

    /// Fails for a user without room.
    pub fn check(&self, user: &UserId) -> Result<(), EngineError> {
        if self.is_full(user) {
            return Err(EngineError::QuotaExceeded {
                quota: "disk quota (--max-disk-per-account)",
                retry_after: RETRY_AFTER,
            });
        }
        Ok(())
    }

    pub(crate) fn is_full(&self, user: &UserId) -> bool {
        self.quota.is_some() && self.users.lock().get(user).is_some_and(|user| user.is_full)
    }

    /// Measures a user again, because it installed packages or the measurement failed.
    pub fn forget(&self, user: &UserId) {
        if self.quota.is_some() {
            self.users.lock().entry(user.clone()).or_default().measured = None;
        }
    }

    /// Counts bytes that a user wrote. Deleted bytes are noticed by the next measurement.
    pub(crate) fn written(&self, user: &UserId, bytes: usize) {
        if self.quota.is_some() {
            let mut users = self.users.lock();
            users.entry(user.clone()).or_default().written += bytes as u64;
        }
    }

    /// The users that may have reached the quota since they were measured, and those that are full. Bytes that they write from
    /// now on count for the next measurement too, because this one may miss them.
    pub(super) fn due(&self, quota: u64) -> Vec<UserId> {
        let is_due = |account: &Account| match account.measured {
            None => true,
            Some(used) => account.is_full || used.total() + account.written > quota,
        };
        let mut users = self.users.lock();
        let due = users.iter_mut().filter(|(_, account)| is_due(account));
        due.map(|(user, account)| {
            account.written = 0;
            user.clone()
        })
        .collect()
    }

    /// Records a measurement. Returns whether the user is full now and was not before.
    pub(super) fn measured(&self, user: &UserId, space: Used, quota: u64) -> bool {
        let mut users = self.users.lock();
        let account = users.entry(user.clone()).or_default();
        let was_full = account.is_full;
        account.is_full = space.is_full(quota);
        account.measured = Some(space);
        account.is_full && !was_full
    }

    /// The space of the user that uses most, and the number of users that are full.
    pub(super) fn summary(&self) -> (u64, usize) {
        let users = self.users.lock();
        let totals = users.values().filter_map(|account| account.measured);
        let most = totals.map(Used::total).max().unwrap_or(0);
        let full = users.values().filter(|account| account.is_full).count();
        (most, full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_measured_again_when_it_may_have_reached_the_quota() {
        let user = UserId::parse("u_a").expect("an id");
        let is_due = |quotas: &DiskQuotas| quotas.due(100).contains(&user);
        let quotas = DiskQuotas::new(Some(100));
        assert!(!is_due(&quotas));
        quotas.written(&user, 1);
        assert!(is_due(&quotas), "unknown");
        let space = |events, others| Used { events, others };
        assert!(!quotas.measured(&user, space(10, 60), 100));
        quotas.written(&user, 30);
        assert!(!is_due(&quotas));
        quotas.written(&user, 1);
        assert!(is_due(&quotas));
        quotas.written(&user, 31);
        assert!(!quotas.measured(&user, space(10, 60), 100));
        assert!(is_due(&quotas), "it wrote during the measurement");
        assert!(quotas.measured(&user, space(10, 90), 100));
        assert!(!quotas.measured(&user, space(10, 90), 100), "told before");
        assert!(quotas.check(&user).is_err());
        assert!(is_due(&quotas), "it may have deleted something");
        assert_eq!(quotas.summary(), (100, 1));
        quotas.measured(&user, space(0, 0), 100);
        assert!(quotas.check(&user).is_ok());
    }
}
