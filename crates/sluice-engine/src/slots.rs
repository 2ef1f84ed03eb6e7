//! How many component processes may live at once. When all places are taken or memory is short, the owner that has
//! been idle longest gives its process up.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use sluice_model::EmitterId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::owners::Owner;

pub(crate) struct Slots {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    next: u64,
    by_age: BTreeMap<u64, Owner>,
    ages: BTreeMap<EmitterId, u64>,
}

impl Slots {
    pub(crate) fn new(most: usize) -> Slots {
        Slots {
            free: Arc::new(Semaphore::new(most.max(1))),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        }
    }

    pub(crate) async fn acquire(&self) -> OwnedSemaphorePermit {
        if let Ok(slot) = Arc::clone(&self.free).try_acquire_owned() {
            return slot;
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.evict_oldest();
        let slot = Arc::clone(&self.free).acquire_owned().await;
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        slot.expect("the semaphore is never closed")
    }

    /// An owner has nothing to do; it is asked for its process at once when others wait for one.
    pub(crate) fn idle(&self, owner: &Owner) {
        {
            let mut idle = self.idle.lock();
            let age = idle.next;
            idle.next += 1;
            idle.by_age.insert(age, owner.clone());
            if let Some(before) = idle.ages.insert(owner.id().clone(), age) {
                idle.by_age.remove(&before);
            }
        }
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.evict_oldest();
        }
    }

    pub(crate) fn not_idle(&self, id: &EmitterId) {
        let mut idle = self.idle.lock();
        if let Some(age) = idle.ages.remove(id) {
            idle.by_age.remove(&age);
        }
    }

    pub(crate) fn evict_oldest(&self) {
        let mut idle = self.idle.lock();
        if let Some((_, owner)) = idle.by_age.pop_first() {
            idle.ages.remove(owner.id());
            owner.evict();
        }
    }
}
