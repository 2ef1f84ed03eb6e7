//! What is known of one account that is in use.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use sluice_model::{AccountId, UserId};

/// What components see as `$auth`, or in words why they cannot.
pub(crate) type Answer = Result<Arc<Auth>, Arc<str>>;

#[derive(Debug, PartialEq)]
pub(crate) struct Auth {
    pub(crate) app_slug: String,
    pub(crate) fields: Map<String, Value>,
}

/// An answer, and until when it is believed.
pub(super) struct Finding {
    pub(super) answer: Answer,
    pub(super) until: i64,
}

pub(crate) struct Slot {
    pub(super) user: UserId,
    pub(super) account: AccountId,
    known: Mutex<Known>,
    /// Held by the one that finds out; the others wait for it.
    pub(super) turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    finding: Option<Finding>,
    changes: u64,
    failures: u32,
    put_off: Option<PutOff>,
}

/// Why the credentials of a version could not be renewed, and until when nobody tries again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PutOff {
    pub(super) version: i64,
    pub(super) until: i64,
    pub(super) why: Arc<str>,
}

impl Slot {
    pub(super) fn new(user: UserId, account: AccountId) -> Slot {
        Slot {
            user,
            account,
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// What is known and still believed.
    pub(super) fn answer(&self, now: i64) -> Option<Answer> {
        let known = self.known.lock();
        let finding = known.finding.as_ref()?;
        (now < finding.until).then(|| finding.answer.clone())
    }

    pub(super) fn forget(&self) {
        let mut known = self.known.lock();
        known.finding = None;
        known.changes += 1;
    }

    pub(super) fn changes(&self) -> u64 {
        self.known.lock().changes
    }

    /// Keeps a finding, unless the account has changed since `changes` was read.
    pub(super) fn learn(&self, changes: u64, finding: Finding) {
        let mut known = self.known.lock();
        if known.changes == changes {
            known.finding = Some(finding);
        }
    }

    /// Counts a renewal that failed, and tells how many have in a row.
    pub(super) fn failed(&self) -> u32 {
        let mut known = self.known.lock();
        known.failures = known.failures.saturating_add(1);
        known.failures
    }

    /// Remembers a renewal that was put off. It outlives findings: an account that is forgotten is not renewed any sooner.
    pub(super) fn put_off(&self, put_off: PutOff) {
        self.known.lock().put_off = Some(put_off);
    }

    /// Why the renewal of these credentials waits, if it does.
    pub(super) fn waits(&self, version: i64, now: i64) -> Option<PutOff> {
        let put_off = self.known.lock().put_off.clone();
        put_off.filter(|it| it.version == version && now < it.until)
    }

    pub(super) fn succeeded(&self) {
        let mut known = self.known.lock();
        known.failures = 0;
        known.put_off = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> Slot {
        Slot::new(
            UserId::parse("u_a").unwrap(),
            AccountId::parse("apn_a").unwrap(),
        )
    }

    fn finding(until: i64) -> Finding {
        Finding {
            answer: Err(Arc::from("no")),
            until,
        }
    }

    #[test]
    fn an_answer_is_believed_for_its_time() {
        let slot = slot();
        slot.learn(slot.changes(), finding(10));
        assert!(slot.answer(9).is_some());
        assert!(slot.answer(10).is_none());
    }

    #[test]
    fn why_a_renewal_was_put_off_is_known_until_it_is_tried_again() {
        let slot = slot();
        let put_off = PutOff {
            version: 3,
            until: 10,
            why: Arc::from("it answered 503"),
        };
        slot.put_off(put_off.clone());
        slot.forget();
        assert_eq!(slot.waits(3, 9), Some(put_off));
        assert_eq!(slot.waits(3, 10), None);
        assert_eq!(slot.waits(4, 9), None);
        slot.succeeded();
        assert_eq!(slot.waits(3, 9), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_believed_after_it() {
        let slot = slot();
        let before = slot.changes();
        slot.forget();
        slot.learn(before, finding(10));
        assert!(slot.answer(0).is_none());
    }
}
