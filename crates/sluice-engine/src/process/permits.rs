//! Permits for component processes. When all are taken, or memory is short, the owner that has been idle longest is asked
//! to stop its process.

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

/// An owner that can stop its idle process.
pub(crate) trait Evict: Send + Sync {
    fn evict(&self);
}

/// Cheap to clone; all clones share the permits.
#[derive(Clone)]
pub(crate) struct Permits(Arc<Inner>);

struct Inner {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    next: u64,
    by_age: BTreeMap<u64, (EmitterId, Box<dyn Evict>)>,
    ages: BTreeMap<EmitterId, u64>,
}

impl Permits {
    pub(crate) fn new(max: usize) -> Permits {
        Permits(Arc::new(Inner {
            free: Arc::new(Semaphore::new(max.clamp(1, Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        }))
    }

    pub(crate) async fn acquire(&self) -> OwnedSemaphorePermit {
        if let Ok(permit) = Arc::clone(&self.0.free).try_acquire_owned() {
            return permit;
        }
        let waiting = Waiting::new(&self.0.waiting);
        self.evict_oldest();
        let permit = Arc::clone(&self.0.free).acquire_owned().await;
        drop(waiting);
        permit.expect("the semaphore is never closed")
    }

    /// Lists an owner as idle. It is evicted at once when others wait for a permit.
    pub(crate) fn idle(&self, id: &EmitterId, owner: Box<dyn Evict>) {
        {
            let mut idle = self.0.idle.lock();
            let age = idle.next;
            idle.next += 1;
            idle.by_age.insert(age, (id.clone(), owner));
            if let Some(before) = idle.ages.insert(id.clone(), age) {
                idle.by_age.remove(&before);
            }
        }
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            self.evict_oldest();
        }
    }

    pub(crate) fn busy(&self, id: &EmitterId) {
        let mut idle = self.0.idle.lock();
        if let Some(age) = idle.ages.remove(id) {
            idle.by_age.remove(&age);
        }
    }

    pub(crate) fn evict_oldest(&self) {
        let mut idle = self.0.idle.lock();
        if let Some((_, (id, owner))) = idle.by_age.pop_first() {
            idle.ages.remove(&id);
            owner.evict();
        }
    }
}

/// Counts a waiting owner, also when it stops waiting before it gets a permit.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Waiting<'a> {
        count.fetch_add(1, Ordering::SeqCst);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
