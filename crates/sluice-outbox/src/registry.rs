//! The queues that have a worker.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;

use crate::{queue_key::QueueKey, wakeup::Wakeup};

#[derive(Default)]
pub(crate) struct Registry {
    live: Mutex<HashMap<QueueKey, Arc<Wakeup>>>,
}

impl Registry {
    /// The wake-up of a new queue, which needs a worker; none for a queue that has one, whose worker is woken by `wake`.
    pub(crate) fn register(&self, key: &QueueKey, wake: fn(&Wakeup)) -> Option<Arc<Wakeup>> {
        match self.live.lock().entry(key.clone()) {
            Entry::Occupied(entry) => {
                wake(entry.get());
                None
            }
            Entry::Vacant(entry) => Some(Arc::clone(entry.insert(Arc::default()))),
        }
    }

    /// Unregisters a worker that found its queue empty, unless it was woken meanwhile.
    pub(crate) fn release(&self, key: &QueueKey, wakeup: &Wakeup) -> bool {
        let mut live = self.live.lock();
        let released = !wakeup.is_pending();
        if released {
            live.remove(key);
        }
        released
    }

    /// Unregisters a worker that is dead.
    pub(crate) fn remove(&self, key: &QueueKey) {
        self.live.lock().remove(key);
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.live.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::WebhookId;

    use super::*;

    #[test]
    fn a_worker_that_was_woken_is_not_released() {
        let registry = Registry::default();
        let key = QueueKey::Webhook(WebhookId::parse("wh_a").unwrap());
        let wakeup = registry.register(&key, Wakeup::wake).unwrap();
        assert!(registry.register(&key, Wakeup::wake).is_none());
        assert!(!registry.release(&key, &wakeup));
        assert!(wakeup.take());
        assert!(registry.release(&key, &wakeup));
        assert!(registry.register(&key, Wakeup::wake).is_some());
    }
}
