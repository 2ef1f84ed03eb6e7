//! The rules by which users share permits.
//!
//! - A user holds at most a fixed number.
//! - A second permit is granted only if the user then holds at most three times as many as are left. So the more a user
//!   holds, the sooner it has to wait, and some permits are left for users that hold fewer.
//! - Users that wait take turns.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use sluice_model::UserId;

/// The user of a permit; `None` is the server itself.
pub type PermitUser = Option<UserId>;

/// A permit that was granted later than this counts as delayed.
const DELAYED: Duration = Duration::from_millis(200);
/// The number of permits a user may hold for each one that is left.
const PER_FREE: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitLimits {
    pub total: usize,
    /// With as many as in total, one user can hold all.
    pub per_user: usize,
}

impl PermitLimits {
    /// A user may hold three quarters, rounded up.
    pub fn three_quarters(total: usize) -> PermitLimits {
        let per_user = (total * 3).div_ceil(4);
        PermitLimits { total, per_user }
    }
}

/// A limit of one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnLimit {
    /// The number of permits.
    Count,
    /// See [`crate::FairPermits::block`].
    Blocked,
}

/// The current use of permits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PermitUse {
    pub held: usize,
    pub waiting: usize,
    /// The number held by the user that holds most.
    pub most_of_one_user: usize,
    /// The number of permits so far that were granted only after 200 ms.
    pub delayed: u64,
}

/// `W` is notified when its permit is granted.
pub(crate) struct FairQueue<W> {
    limits: PermitLimits,
    free: usize,
    users: HashMap<PermitUser, Share<W>>,
    /// The users that wait, the next first.
    turns: VecDeque<PermitUser>,
    next_number: u64,
    delayed: u64,
}

struct Share<W> {
    held: usize,
    /// A user that is blocked gets no second permit.
    is_blocked: bool,
    waiting: VecDeque<Waiter<W>>,
}

struct Waiter<W> {
    number: u64,
    since: Instant,
    notify: W,
}

impl<W> Default for Share<W> {
    fn default() -> Self {
        Share {
            held: 0,
            is_blocked: false,
            waiting: VecDeque::new(),
        }
    }
}

impl<W> FairQueue<W> {
    pub(crate) fn new(limits: PermitLimits) -> FairQueue<W> {
        let total = limits.total.max(1);
        let per_user = limits.per_user.clamp(1, total);
        FairQueue {
            limits: PermitLimits { total, per_user },
            free: total,
            users: HashMap::new(),
            turns: VecDeque::new(),
            next_number: 0,
            delayed: 0,
        }
    }

    pub(crate) fn try_take(&mut self, user: &PermitUser) -> bool {
        let may_take = self.may_take(user);
        if may_take {
            self.take(user);
        }
        may_take
    }

    /// Takes a permit unless it is the last one or users wait.
    pub(crate) fn try_take_spare(&mut self, user: &PermitUser) -> bool {
        (self.free > 1 || self.limits.total == 1) && self.turns.is_empty() && self.try_take(user)
    }

    /// Queues a waiter. Returns its number.
    pub(crate) fn wait(&mut self, user: &PermitUser, waiter: W, since: Instant) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        let share = self.users.entry(user.clone()).or_default();
        if share.waiting.is_empty() {
            self.turns.push_back(user.clone());
        }
        share.waiting.push_back(Waiter {
            number,
            since,
            notify: waiter,
        });
        number
    }

    pub(crate) fn cancel(&mut self, user: &PermitUser, number: u64) {
        if let Some(share) = self.users.get_mut(user) {
            share.waiting.retain(|waiter| waiter.number != number);
        }
        self.tidy(user);
    }

    pub(crate) fn release(&mut self, user: &PermitUser) {
        self.free += 1;
        if let Some(share) = self.users.get_mut(user) {
            share.held = share.held.saturating_sub(1);
        }
        self.tidy(user);
    }

    /// Blocks exactly these users.
    pub(crate) fn block(&mut self, users: &[UserId]) {
        for (user, share) in &mut self.users {
            share.is_blocked = user.as_ref().is_some_and(|user| users.contains(user));
        }
    }

    /// Grants permits to waiters in turn, as far as possible.
    pub(crate) fn grant(&mut self, now: Instant) -> Vec<(PermitUser, W)> {
        let mut granted = Vec::new();
        while let Some(at) = self.turns.iter().position(|user| self.may_take(user)) {
            let Some(user) = self.turns.remove(at) else {
                break;
            };
            let Some(share) = self.users.get_mut(&user) else {
                continue;
            };
            let Some(next) = share.waiting.pop_front() else {
                continue;
            };
            if !share.waiting.is_empty() {
                self.turns.push_back(user.clone());
            }
            self.take(&user);
            self.delayed += u64::from(now.duration_since(next.since) > DELAYED);
            granted.push((user, next.notify));
        }
        granted
    }

    /// The number of free permits, if the user may take one of them.
    pub(crate) fn free_for(&self, user: &PermitUser) -> usize {
        if self.may_take(user) { self.free } else { 0 }
    }

    pub(crate) fn held(&self, user: &PermitUser) -> usize {
        self.users.get(user).map_or(0, |share| share.held)
    }

    /// The limit of its own that keeps a user from another permit: with all its waiters, or one if it has none, it would hold
    /// too many, or it is blocked.
    pub(crate) fn own_limit(&self, user: &PermitUser) -> Option<OwnLimit> {
        let share = self.users.get(user)?;
        if share.is_blocked {
            Some(OwnLimit::Blocked)
        } else {
            let wanted = share.held + share.waiting.len().max(1);
            (wanted > self.limits.per_user).then_some(OwnLimit::Count)
        }
    }

    /// The users that wait, the next first.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> Vec<PermitUser> {
        self.turns.iter().cloned().collect()
    }

    pub(crate) fn in_use(&self) -> PermitUse {
        let shares = || self.users.values();
        PermitUse {
            held: self.limits.total - self.free,
            waiting: shares().map(|share| share.waiting.len()).sum(),
            most_of_one_user: shares().map(|share| share.held).max().unwrap_or(0),
            delayed: self.delayed,
        }
    }

    fn may_take(&self, user: &PermitUser) -> bool {
        let PermitLimits { total, per_user } = self.limits;
        let Some(share) = self.users.get(user).filter(|share| share.held > 0) else {
            return self.free > 0;
        };
        let Some(left) = self.free.checked_sub(1) else {
            return false;
        };
        let held = share.held + 1;
        // An operator who allows a user more than three quarters wants fewer to be left for others.
        let leaves_enough = held <= PER_FREE * left || held * (total - per_user) <= per_user * left;
        !share.is_blocked && held <= per_user && leaves_enough
    }

    fn take(&mut self, user: &PermitUser) {
        self.free -= 1;
        self.users.entry(user.clone()).or_default().held += 1;
    }

    /// Forgets a user without permits, and the turn of a user without waiters.
    fn tidy(&mut self, user: &PermitUser) {
        let Some(share) = self.users.get(user) else {
            return;
        };
        if share.waiting.is_empty() {
            self.turns.retain(|waiting| waiting != user);
            if share.held == 0 {
                self.users.remove(user);
            }
        }
    }
}

#[cfg(test)]
mod tests;
