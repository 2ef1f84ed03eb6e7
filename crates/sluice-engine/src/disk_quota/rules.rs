//! What a quota allows.

/// The disk space of a user, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) events: u64,
    /// Data stores, `$.service.db` and packages.
    pub(super) others: u64,
}

impl Used {
    pub(super) fn total(self) -> u64 {
        self.events + self.others
    }

    /// The bytes of events beyond the quota. Half of it is theirs in any case.
    pub(super) fn excess_events(self, quota: u64) -> u64 {
        let left = quota.saturating_sub(self.others).max(quota / 2);
        self.events.saturating_sub(left)
    }

    /// Whether there is no room for more than events.
    pub(super) fn is_full(self, quota: u64) -> bool {
        self.others + self.events.min(quota / 2) >= quota
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_make_room_but_keep_half() {
        let used = |events, others| Used { events, others };
        assert_eq!(used(60, 40).excess_events(100), 0);
        assert_eq!(used(70, 40).excess_events(100), 10);
        assert_eq!(used(70, 90).excess_events(100), 20);
        assert_eq!(used(200, 0).excess_events(100), 100);
    }

    #[test]
    fn a_user_is_full_when_the_rest_does_not_fit_beside_the_events() {
        let used = |events, others| Used { events, others };
        assert!(!used(1_000, 49).is_full(100));
        assert!(used(1_000, 50).is_full(100));
        assert!(!used(10, 89).is_full(100));
        assert!(used(10, 90).is_full(100));
        assert!(used(0, 100).is_full(100));
    }
}
