//! The feeds of sources that have readers: what is stored is published here after its commit.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_model::{EmitterId, EventId, UserId, WebhookId};
use sluice_outbox::DeliveryObserver;
use sluice_store::events::{NewEvent, StoredEvent};
use tokio::sync::{Semaphore, broadcast, watch};

use super::traffic::{Traffic, WebhookTraffic};

/// How many events a feed holds for readers that have not taken them yet.
pub(super) const RING: usize = 256;
/// Larger events are not held, so that a feed stays small.
const MAX_SHARED: usize = 16 * 1024;

pub(crate) struct Streams {
    pub(super) feeds: Mutex<HashMap<EmitterId, Feed>>,
    /// One permit for each reader that the server takes.
    pub(super) seats: Arc<Semaphore>,
    pub(super) most: usize,
    pub(crate) traffic: Traffic,
}

pub(super) struct Feed {
    pub(super) events: broadcast::Sender<News>,
    /// Only says that there are new lines.
    pub(super) lines: watch::Sender<()>,
}

/// What a feed tells, in the order of commits.
#[derive(Clone)]
pub(super) enum News {
    Event(Arc<LiveEvent>),
    /// Too large to be passed around.
    InStore {
        id: EventId,
        channel: Arc<str>,
    },
    /// Something may have been stored.
    LookAgain,
}

/// An event on its way to all readers of its source.
pub struct LiveEvent {
    pub(super) event: StoredEvent,
    frame: OnceLock<Bytes>,
}

impl LiveEvent {
    /// The event in the form in which all readers get it, made by whoever comes first.
    pub fn frame(&self, make: impl FnOnce(&StoredEvent) -> Bytes) -> Bytes {
        self.frame.get_or_init(|| make(&self.event)).clone()
    }
}

impl Feed {
    pub(super) fn new() -> Feed {
        Feed {
            events: broadcast::Sender::new(RING),
            lines: watch::Sender::new(()),
        }
    }

    pub(super) fn is_unheard(&self) -> bool {
        self.events.receiver_count() == 0 && self.lines.receiver_count() == 0
    }
}

impl DeliveryObserver for Streams {
    fn attempted(&self, user: &UserId, webhook: &WebhookId, delivered: u64, failed: u64) {
        let attempts = WebhookTraffic { delivered, failed };
        self.traffic.attempted(user, webhook, attempts);
    }
}

impl Streams {
    /// For at most so many readers.
    pub(crate) fn new(most: usize) -> Streams {
        let most = most.min(Semaphore::MAX_PERMITS);
        Streams {
            feeds: Mutex::default(),
            seats: Arc::new(Semaphore::new(most)),
            most,
            traffic: Traffic::default(),
        }
    }

    /// Tells the readers of a source what a commit of it stored. Commits must be told in their order.
    pub(crate) fn publish<'a>(
        &self,
        source: &EmitterId,
        events: impl ExactSizeIterator<Item = NewEvent<'a>>,
    ) {
        let feeds = self.feeds.lock();
        let Some(Feed { events: ring, .. }) = feeds.get(source) else {
            return;
        };
        if ring.receiver_count() == 0 {
            return;
        }
        if events.len() > RING / 2 {
            // They would push each other out before anybody could take them.
            let _ = ring.send(News::LookAgain);
            return;
        }
        for event in events {
            // It fails when the last reader has just left.
            let _ = ring.send(news_of(&event));
        }
    }

    /// Tells the readers of a source's log that it has grown.
    pub(crate) fn lines_written(&self, source: &EmitterId) {
        if let Some(feed) = self.feeds.lock().get(source) {
            feed.lines.send_replace(());
        }
    }

    /// Tells the readers of a source that something may have been stored.
    pub(crate) fn look_again(&self, source: &EmitterId) {
        if let Some(feed) = self.feeds.lock().get(source) {
            let _ = feed.events.send(News::LookAgain);
            feed.lines.send_replace(());
        }
    }

    /// The source is gone: its streams end.
    pub(crate) fn close(&self, source: &EmitterId) {
        self.feeds.lock().remove(source);
    }
}

fn news_of(event: &NewEvent<'_>) -> News {
    if event.data.len() + event.meta.len() > MAX_SHARED {
        return News::InStore {
            id: event.id,
            channel: Arc::from(event.channel),
        };
    }
    News::Event(Arc::new(LiveEvent {
        event: StoredEvent {
            id: event.id,
            channel: event.channel.to_owned(),
            emit_id: event.emit_id.to_owned(),
            meta: event.meta.to_owned(),
            data: event.data.to_owned(),
        },
        frame: OnceLock::new(),
    }))
}
