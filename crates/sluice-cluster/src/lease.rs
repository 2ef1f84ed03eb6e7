//! The lease of this node, as far as the node itself may rely on it. It ends earlier here than in the database, because it
//! counts from the moment before the renewal was sent.
//!
//! Safety never depends on it: commits are fenced in the database. It keeps a node that was cut off from starting work that
//! another one runs by now.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_store::nodes::LEASE_MS;
use tokio::sync::watch;

use crate::boot_time;

/// How much earlier than in the database the lease ends here.
const MARGIN_MS: i64 = 500;

/// Cheap to clone; all clones are one lease.
#[derive(Clone)]
pub struct Lease(Arc<Inner>);

struct Inner {
    term: Mutex<Term>,
    held: watch::Sender<bool>,
}

#[derive(Clone, Copy)]
enum Term {
    /// For a server that is alone.
    Endless,
    /// In milliseconds since the start of the machine.
    Until {
        end: i64,
        /// The beginning of the time in which it never ran out.
        unbroken_since: i64,
    },
}

/// A time in which the lease never ran out in the database, so no other node has taken over anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm {
    /// In milliseconds since the start of the machine.
    since: i64,
}

impl Lease {
    pub fn endless() -> Lease {
        Lease::new(Term::Endless)
    }

    /// A lease that was asked for at `sent`.
    pub(crate) fn granted(sent: i64) -> Lease {
        Lease::new(Term::Until {
            end: end_of(sent),
            unbroken_since: sent,
        })
    }

    /// A lease that this node may not rely on before it is renewed.
    pub(crate) fn not_granted() -> Lease {
        Lease::granted(boot_time::now_ms() - LEASE_MS)
    }

    fn new(term: Term) -> Lease {
        let lease = Lease(Arc::new(Inner {
            term: Mutex::new(term),
            held: watch::Sender::new(true),
        }));
        lease.tell();
        lease
    }

    /// Whether this node may start work.
    pub fn is_held(&self) -> bool {
        match *self.0.term.lock() {
            Term::Endless => true,
            Term::Until { end, .. } => boot_time::now_ms() < end,
        }
    }

    /// The present term; `None` when the lease is not held.
    pub fn term(&self) -> Option<LeaseTerm> {
        match *self.0.term.lock() {
            Term::Endless => Some(LeaseTerm { since: 0 }),
            Term::Until {
                end,
                unbroken_since,
            } => (boot_time::now_ms() < end).then_some(LeaseTerm {
                since: unbroken_since,
            }),
        }
    }

    /// Whether this node may call another one dead: it has held its own lease for a whole period. After an outage of the
    /// database all leases have run out, and everyone gets the chance to renew first.
    pub fn may_take_over(&self) -> bool {
        match *self.0.term.lock() {
            Term::Endless => true,
            Term::Until {
                end,
                unbroken_since,
            } => {
                let now = boot_time::now_ms();
                now < end && now - unbroken_since >= LEASE_MS
            }
        }
    }

    /// Waits until the lease is held, if it is not; false when it is still not held after `patience`.
    pub async fn wait(&self, patience: Duration) -> bool {
        if self.is_held() {
            return true;
        }
        // The heartbeat may not have noticed yet.
        self.tell();
        let mut changes = self.changes();
        let held = tokio::time::timeout(patience, changes.wait_for(|held| *held));
        held.await.is_ok_and(|held| held.is_ok())
    }

    /// Completes when the lease was lost or regained since the last call of the same receiver.
    pub fn changes(&self) -> watch::Receiver<bool> {
        self.0.held.subscribe()
    }

    /// The lease was renewed by a request that was sent then.
    pub(crate) fn renewed(&self, sent: i64) {
        let mut term = self.0.term.lock();
        if let Term::Until {
            end,
            unbroken_since,
        } = &mut *term
        {
            if sent >= *end {
                *unbroken_since = sent;
            }
            *end = end_of(sent).max(*end);
        }
        drop(term);
        self.tell();
    }

    /// It has run out in the database.
    pub(crate) fn end_now(&self) {
        if let Term::Until { end, .. } = &mut *self.0.term.lock() {
            *end = boot_time::now_ms().min(*end);
        }
        self.tell();
    }

    /// When it ends; `None` when it does not.
    pub(crate) fn end(&self) -> Option<i64> {
        match *self.0.term.lock() {
            Term::Endless => None,
            Term::Until { end, .. } => Some(end),
        }
    }

    /// Tells those who watch it whether it is held.
    pub(crate) fn tell(&self) {
        let is_held = self.is_held();
        self.0.held.send_if_modified(|held| {
            let changed = *held != is_held;
            *held = is_held;
            changed
        });
    }
}

fn end_of(sent: i64) -> i64 {
    sent + LEASE_MS - MARGIN_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_ends_before_it_does_in_the_database() {
        let now = boot_time::now_ms();
        assert!(Lease::granted(now).is_held());
        assert!(!Lease::granted(now - LEASE_MS + MARGIN_MS).is_held());
        assert!(Lease::endless().is_held() && Lease::endless().may_take_over());
    }

    #[test]
    fn only_a_lease_that_never_ran_out_for_a_period_may_take_over() {
        let now = boot_time::now_ms();
        let lease = Lease::granted(now - 4_000);
        assert!(!lease.is_held());
        // It ran out before this renewal.
        lease.renewed(now - 1_000);
        assert!(lease.is_held() && !lease.may_take_over());

        let lease = Lease::granted(now - 4_000);
        lease.renewed(now - 2_000);
        lease.renewed(now);
        assert!(lease.may_take_over());
    }

    #[test]
    fn a_term_ends_when_the_lease_runs_out_and_not_when_it_is_renewed() {
        let now = boot_time::now_ms();
        let lease = Lease::granted(now - 2_000);
        let term = lease.term();
        assert!(term.is_some());
        lease.renewed(now);
        assert_eq!(lease.term(), term);

        let lease = Lease::granted(now - 4_000);
        assert_eq!(lease.term(), None);
        lease.renewed(now);
        assert!(lease.term().is_some() && lease.term() != term);
        assert_eq!(Lease::endless().term(), Lease::endless().term());
    }

    #[tokio::test]
    async fn a_lease_that_ran_out_unnoticed_is_waited_for() {
        let lease = Lease::granted(boot_time::now_ms());
        if let Term::Until { end, .. } = &mut *lease.0.term.lock() {
            *end = 0;
        }
        assert!(!lease.wait(Duration::from_millis(20)).await);
    }

    #[test]
    fn a_late_answer_does_not_shorten_the_lease() {
        let now = boot_time::now_ms();
        let lease = Lease::granted(now);
        lease.renewed(now - 2_000);
        assert_eq!(lease.end(), Some(end_of(now)));
    }

    #[test]
    fn those_who_watch_it_learn_of_its_end() {
        let lease = Lease::granted(boot_time::now_ms() - LEASE_MS);
        let changes = lease.changes();
        lease.tell();
        assert!(!*changes.borrow());
        lease.renewed(boot_time::now_ms());
        assert!(*changes.borrow());
    }
}
