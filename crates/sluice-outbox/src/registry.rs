//! The queues that have a worker.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::WebhookId;

use crate::{
    queue_key::QueueKey,
    wakeup::{Signal, Wakeup},
};

#[derive(Default)]
pub(crate) struct Registry {
    live: Mutex<HashMap<QueueKey, Arc<Wakeup>>>,
}

impl Registry {
    /// Signals to the worker of a queue. Returns the wake-up of a new queue, which needs a worker.
    pub(crate) fn register(&self, key: &QueueKey, signal: Signal) -> Option<Arc<Wakeup>> {
        match self.live.lock().entry(key.clone()) {
            Entry::Occupied(entry) => {
                entry.get().signal(signal);
                None
            }
            Entry::Vacant(entry) => {
                let wakeup = entry.insert(Arc::default());
                wakeup.signal(signal);
                Some(Arc::clone(wakeup))
            }
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

    /// The webhooks that workers have read, and when each was last changed.
    pub(crate) fn destinations(&self) -> Vec<(WebhookId, i64)> {
        let live = self.live.lock();
        let webhooks = live.iter().filter_map(|(key, wakeup)| match key {
            QueueKey::Webhook(id) => Some((id.clone(), wakeup.destination_time()?)),
            QueueKey::Sends(_) => None,
        });
        webhooks.collect()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.live.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_was_woken_is_not_released() {
        let registry = Registry::default();
        let key = QueueKey::Webhook(WebhookId::parse("wh_a").unwrap());
        let wakeup = registry.register(&key, Signal::Wake).unwrap();
        assert!(registry.register(&key, Signal::Wake).is_none());
        assert!(!registry.release(&key, &wakeup));
        assert!(wakeup.take());
        assert!(registry.release(&key, &wakeup));
        assert!(registry.register(&key, Signal::Wake).is_some());
    }
}
