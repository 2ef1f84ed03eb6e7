//! Starts that found neither a free process permit nor an idle process. They hold no start permit, so that others can start.
//! Each is woken for one process permit that it may get; users take turns.

use std::collections::{HashMap, VecDeque};

use sluice_model::UserId;
use tokio::sync::oneshot;

#[derive(Default)]
pub(super) struct Parked {
    next_number: u64,
    users: HashMap<UserId, Share>,
    /// The users with parked starts, the next first.
    turns: VecDeque<UserId>,
    claims: usize,
}

#[derive(Default)]
struct Share {
    waiting: VecDeque<(u64, oneshot::Sender<()>)>,
    /// Starts that were woken and have not yet got or missed their permit.
    claims: usize,
}

/// Permits that a user could get now.
#[derive(Debug, Clone, Copy)]
pub(super) enum Available {
    /// Free, or of idle processes of any user.
    Shared(usize),
    /// Of its own idle processes. The user is at its limit.
    Own(usize),
}

impl Parked {
    /// Parks a start. One that was parked before, under the number `before`, keeps its place among those of its user.
    pub(super) fn add(
        &mut self,
        user: &UserId,
        before: Option<u64>,
    ) -> (u64, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        let number = before.unwrap_or(self.next_number);
        self.next_number = self.next_number.max(number + 1);
        let share = self.users.entry(user.clone()).or_default();
        if share.waiting.is_empty() {
            self.turns.push_back(user.clone());
        }
        let at = share.waiting.partition_point(|(other, _)| *other < number);
        share.waiting.insert(at, (number, sender));
        (number, receiver)
    }

    /// Forgets a start that gave up. Returns false if it was woken already, and so has a claim.
    pub(super) fn remove(&mut self, user: &UserId, number: u64) -> bool {
        let Some(share) = self.users.get_mut(user) else {
            return false;
        };
        let before = share.waiting.len();
        share.waiting.retain(|(waiting, _)| *waiting != number);
        let is_removed = share.waiting.len() < before;
        self.tidy(user);
        is_removed
    }

    /// A start that was woken got its permit or missed it.
    pub(super) fn settle(&mut self, user: &UserId) {
        self.claims = self.claims.saturating_sub(1);
        if let Some(share) = self.users.get_mut(user) {
            share.claims = share.claims.saturating_sub(1);
        }
        self.tidy(user);
    }

    /// Wakes parked starts in turn, each for a permit that no other one was woken for.
    pub(super) fn wake(&mut self, available: impl Fn(&UserId) -> Available) {
        while let Some(at) = self
            .turns
            .iter()
            .position(|user| self.has_unclaimed(user, available(user)))
        {
            let Some(user) = self.turns.remove(at) else {
                return;
            };
            let Some(share) = self.users.get_mut(&user) else {
                continue;
            };
            let woken = share.waiting.pop_front();
            if !share.waiting.is_empty() {
                self.turns.push_back(user.clone());
            }
            if woken.is_some_and(|(_, sender)| sender.send(()).is_ok()) {
                share.claims += 1;
                self.claims += 1;
            }
            self.tidy(&user);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.users.values().map(|share| share.waiting.len()).sum()
    }

    fn has_unclaimed(&self, user: &UserId, available: Available) -> bool {
        match available {
            Available::Shared(count) => count > self.claims,
            Available::Own(count) => count > self.users.get(user).map_or(0, |share| share.claims),
        }
    }

    fn tidy(&mut self, user: &UserId) {
        let Some(share) = self.users.get(user) else {
            return;
        };
        if share.waiting.is_empty() {
            self.turns.retain(|waiting| waiting != user);
            if share.claims == 0 {
                self.users.remove(user);
            }
        }
    }
}
