//! Owners whose processes are idle, by the time since when they are.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use sluice_model::{EmitterId, UserId};

/// An owner that can stop its idle process.
pub(crate) trait Evict: Send + Sync {
    fn evict(&self);
}

#[derive(Default)]
pub(super) struct IdleOwners {
    next: u64,
    by_age: BTreeMap<u64, IdleOwner>,
    ages: HashMap<EmitterId, u64>,
}

struct IdleOwner {
    id: EmitterId,
    user: UserId,
    /// Its next tick, in epoch milliseconds.
    due: Option<i64>,
    owner: Box<dyn Evict>,
}

impl IdleOwner {
    /// The owner that is due last is evicted first; without a tick it is due never.
    fn due_last(&self) -> i64 {
        self.due.unwrap_or(i64::MAX)
    }
}

impl IdleOwners {
    pub(super) fn insert(
        &mut self,
        id: &EmitterId,
        user: &UserId,
        due: Option<i64>,
        owner: Box<dyn Evict>,
    ) {
        self.remove(id);
        let age = self.next;
        self.next += 1;
        self.ages.insert(id.clone(), age);
        let idle = IdleOwner {
            id: id.clone(),
            user: user.clone(),
            due,
            owner,
        };
        self.by_age.insert(age, idle);
    }

    pub(super) fn remove(&mut self, id: &EmitterId) {
        if let Some(age) = self.ages.remove(id) {
            self.by_age.remove(&age);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.by_age.len()
    }

    pub(super) fn len_of(&self, user: &UserId) -> usize {
        let idle = self.by_age.values();
        idle.filter(|idle| idle.user == *user).count()
    }

    /// Of the user with the highest rank, evicts the owner that is due last, and of several the one that is idle longest.
    pub(super) fn evict_by(&mut self, rank: impl Fn(&UserId) -> usize) -> bool {
        let found = self.by_age.iter().max_by_key(|(age, idle)| {
            let rank = rank(&idle.user);
            (rank, idle.due_last(), Reverse(**age))
        });
        self.evict(found.map(|(age, _)| *age))
    }

    /// The same for the owners of one user.
    pub(super) fn evict_of(&mut self, user: &UserId) -> bool {
        let own = self.by_age.iter().filter(|(_, idle)| idle.user == *user);
        let found = own.max_by_key(|(age, idle)| (idle.due_last(), Reverse(**age)));
        self.evict(found.map(|(age, _)| *age))
    }

    fn evict(&mut self, age: Option<u64>) -> bool {
        let Some(idle) = age.and_then(|age| self.by_age.remove(&age)) else {
            return false;
        };
        self.ages.remove(&idle.id);
        idle.owner.evict();
        true
    }
}
