//! Owners whose processes are idle, by the time since when they are.

use std::collections::{BTreeMap, HashMap};

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
    owner: Box<dyn Evict>,
}

impl IdleOwners {
    pub(super) fn insert(&mut self, id: &EmitterId, user: &UserId, owner: Box<dyn Evict>) {
        self.remove(id);
        let age = self.next;
        self.next += 1;
        self.ages.insert(id.clone(), age);
        let idle = IdleOwner {
            id: id.clone(),
            user: user.clone(),
            owner,
        };
        self.by_age.insert(age, idle);
    }

    pub(super) fn remove(&mut self, id: &EmitterId) {
        if let Some(age) = self.ages.remove(id) {
            self.by_age.remove(&age);
        }
    }

    /// Evicts the oldest owner of the user with the highest rank.
    pub(super) fn evict_by(&mut self, rank: impl Fn(&UserId) -> usize) -> bool {
        // Of equal ones the last is the maximum.
        let youngest_first = self.by_age.iter().rev();
        let found = youngest_first.max_by_key(|(_, idle)| rank(&idle.user));
        self.evict(found.map(|(age, _)| *age))
    }

    /// Evicts the oldest owner of this user.
    pub(super) fn evict_of(&mut self, user: &UserId) -> bool {
        let found = self.by_age.iter().find(|(_, idle)| idle.user == *user);
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
