//! A reader's subscription to a feed. The feed is removed with its last subscription.

use sluice_model::EmitterId;
use sluice_store::BatchLimit;

use super::{
    feed::{Feed, Feeds},
    permit::ReaderPermit,
};

/// A page of the store: everything that is buffered for a slow client.
pub(super) const PAGE: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 256 * 1024,
};

/// `R` receives events or log announcements.
pub(super) struct Subscription<R> {
    // Dropped before the guard, which removes a feed without receivers.
    pub(super) receiver: R,
    guard: Guard,
}

struct Guard {
    feeds: Feeds,
    emitter: EmitterId,
    _permit: ReaderPermit,
}

impl<R> Subscription<R> {
    /// Subscribes to the feed of an emitter, which is created for its first reader.
    pub(super) fn new(
        feeds: &Feeds,
        emitter: &EmitterId,
        permit: ReaderPermit,
        subscribe: impl FnOnce(&Feed) -> R,
    ) -> Subscription<R> {
        Subscription {
            receiver: feeds.subscribe(emitter, subscribe),
            guard: Guard {
                feeds: feeds.clone(),
                emitter: emitter.clone(),
                _permit: permit,
            },
        }
    }

    pub(super) fn emitter(&self) -> &EmitterId {
        &self.guard.emitter
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.feeds.remove_unused(&self.emitter);
    }
}
