//! Owners whose processes are idle, by the time since when they are. A process that several sources share is idle when all of
//! them are.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use sluice_model::{EmitterId, UserId};
use sluice_runtime::SharedPlace;

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
    /// The process, if others may share it.
    place: Option<SharedPlace>,
    owner: Box<dyn Evict>,
}

impl IdleOwner {
    /// The owner that is due last is evicted first; without a tick it is due never.
    fn due_last(&self) -> i64 {
        self.due.unwrap_or(i64::MAX)
    }
}

/// An idle process with its owners, all of one user.
struct IdleProcess<'a> {
    user: &'a UserId,
    /// Of its owners the first tick.
    due: i64,
    /// Of its owners the last one that became idle.
    age: u64,
    owners: usize,
}

impl<'a> IdleProcess<'a> {
    fn of(age: u64, owner: &'a IdleOwner) -> IdleProcess<'a> {
        IdleProcess {
            user: &owner.user,
            due: owner.due_last(),
            age,
            owners: 1,
        }
    }

    fn add(&mut self, age: u64, owner: &IdleOwner) {
        self.due = self.due.min(owner.due_last());
        self.age = self.age.max(age);
        self.owners += 1;
    }
}

impl IdleOwners {
    pub(super) fn insert(
        &mut self,
        id: &EmitterId,
        user: &UserId,
        due: Option<i64>,
        place: Option<SharedPlace>,
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
            place,
            owner,
        };
        self.by_age.insert(age, idle);
    }

    pub(super) fn remove(&mut self, id: &EmitterId) {
        if let Some(age) = self.ages.remove(id) {
            self.by_age.remove(&age);
        }
    }

    /// The number of idle processes.
    pub(super) fn processes(&self) -> usize {
        self.idle_processes(|_| true).len()
    }

    /// The number of idle processes of a user.
    pub(super) fn processes_of(&self, user: &UserId) -> usize {
        self.idle_processes(|owner| owner.user == *user).len()
    }

    /// The idle processes of the owners that are `wanted`, without those whose other owners are busy.
    fn idle_processes(&self, wanted: impl Fn(&IdleOwner) -> bool) -> Vec<IdleProcess<'_>> {
        let mut processes = Vec::new();
        let mut shared: HashMap<u64, (usize, IdleProcess<'_>)> = HashMap::new();
        for (age, owner) in self.by_age.iter().filter(|(_, owner)| wanted(owner)) {
            let tenants = owner.place.as_ref().map_or(1, SharedPlace::tenants);
            match &owner.place {
                Some(place) if tenants > 1 => {
                    let entry = shared.entry(place.process);
                    entry
                        .and_modify(|(_, process)| process.add(*age, owner))
                        .or_insert_with(|| (tenants, IdleProcess::of(*age, owner)));
                }
                _ => processes.push(IdleProcess::of(*age, owner)),
            }
        }
        let idle = shared.into_values();
        let idle = idle.filter(|(tenants, process)| process.owners >= *tenants);
        processes.extend(idle.map(|(_, process)| process));
        processes
    }

    /// Of the user with the highest rank, evicts the owners of the process that is due last, and of several the one that is
    /// idle longest. Returns the number of owners.
    pub(super) fn evict_by(&mut self, rank: impl Fn(&UserId) -> usize) -> usize {
        let processes = self.idle_processes(|_| true);
        let found = processes.iter().max_by_key(|process| {
            let rank = rank(process.user);
            (rank, process.due, Reverse(process.age))
        });
        let found = found.map(|process| process.age);
        self.evict(found)
    }

    /// The same for the owners of one user.
    pub(super) fn evict_of(&mut self, user: &UserId) -> usize {
        let processes = self.idle_processes(|owner| owner.user == *user);
        let found = processes
            .iter()
            .max_by_key(|process| (process.due, Reverse(process.age)));
        let found = found.map(|process| process.age);
        self.evict(found)
    }

    /// Evicts the owner with this age, and those with which it shares its process.
    fn evict(&mut self, age: Option<u64>) -> usize {
        let Some(found) = age.and_then(|age| self.by_age.remove(&age)) else {
            return 0;
        };
        let process = found.place.as_ref().map(|place| place.process);
        let ages: Vec<u64> = match process {
            None => Vec::new(),
            Some(process) => {
                let others = self.by_age.iter();
                let others = others.filter(|(_, other)| other.is_in(process));
                others.map(|(age, _)| *age).collect()
            }
        };
        let others = ages.iter().filter_map(|age| self.by_age.remove(age));
        let evicted: Vec<IdleOwner> = std::iter::once(found).chain(others).collect();
        for idle in &evicted {
            self.ages.remove(&idle.id);
            idle.owner.evict();
        }
        evicted.len()
    }
}

impl IdleOwner {
    fn is_in(&self, process: u64) -> bool {
        let mut place = self.place.iter();
        place.any(|place| place.process == process)
    }
}
