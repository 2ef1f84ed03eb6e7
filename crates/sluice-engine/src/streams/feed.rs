//! Feeds: committed events are announced to the readers of their emitter.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_model::{EmitterId, EventId};
use sluice_store::events::{NewEvent, StoredEvent};
use tokio::sync::{broadcast, watch};

/// Events that a feed buffers for readers that have not taken them yet.
pub(super) const BUFFER: usize = 256;
/// Larger events are not buffered, so that a feed stays small.
const MAX_SHARED: usize = 16 * 1024;

/// The feeds of emitters that have readers. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(super) struct Feeds(Arc<Mutex<HashMap<EmitterId, Feed>>>);

pub(super) struct Feed {
    pub(super) events: broadcast::Sender<Announcement>,
    /// Signals new log lines.
    pub(super) logs: watch::Sender<()>,
}

/// A message to readers, in the order of commits.
#[derive(Clone)]
pub(super) enum Announcement {
    Event(Arc<LiveEvent>),
    /// The event is too large to be shared.
    InStore {
        id: EventId,
        channel: Arc<str>,
    },
    /// Events may have been stored.
    Reload,
}

/// An event that all readers of its emitter share.
pub struct LiveEvent {
    pub(super) event: StoredEvent,
    frame: OnceLock<Bytes>,
}

impl LiveEvent {
    /// The event as readers get it, formatted once.
    pub fn frame(&self, format: impl FnOnce(&StoredEvent) -> Bytes) -> Bytes {
        self.frame.get_or_init(|| format(&self.event)).clone()
    }
}

impl Feed {
    fn new() -> Feed {
        Feed {
            events: broadcast::Sender::new(BUFFER),
            logs: watch::Sender::new(()),
        }
    }

    fn is_unused(&self) -> bool {
        self.events.receiver_count() == 0 && self.logs.receiver_count() == 0
    }
}

impl Feeds {
    pub(super) fn subscribe<R>(
        &self,
        emitter: &EmitterId,
        subscribe: impl FnOnce(&Feed) -> R,
    ) -> R {
        let mut feeds = self.0.lock();
        subscribe(feeds.entry(emitter.clone()).or_insert_with(Feed::new))
    }

    pub(super) fn remove_unused(&self, emitter: &EmitterId) {
        let mut feeds = self.0.lock();
        if feeds.get(emitter).is_some_and(Feed::is_unused) {
            feeds.remove(emitter);
        }
    }

    /// Announces the events of a commit. Commits must be announced in their order.
    pub(super) fn publish<'a>(
        &self,
        emitter: &EmitterId,
        events: impl ExactSizeIterator<Item = NewEvent<'a>>,
    ) {
        let feeds = self.0.lock();
        let Some(Feed { events: feed, .. }) = feeds.get(emitter) else {
            return;
        };
        if feed.receiver_count() == 0 {
            return;
        }
        if events.len() > BUFFER / 2 {
            // They would push each other out of the buffer.
            let _ = feed.send(Announcement::Reload);
            return;
        }
        for event in events {
            // Fails when the last reader has just left.
            let _ = feed.send(announcement(&event));
        }
    }

    pub(super) fn logs_written(&self, emitter: &EmitterId) {
        if let Some(feed) = self.0.lock().get(emitter) {
            feed.logs.send_replace(());
        }
    }

    pub(super) fn reload(&self, emitter: &EmitterId) {
        if let Some(feed) = self.0.lock().get(emitter) {
            let _ = feed.events.send(Announcement::Reload);
            feed.logs.send_replace(());
        }
    }

    /// Ends the streams of an emitter.
    pub(super) fn close(&self, emitter: &EmitterId) {
        self.0.lock().remove(emitter);
    }
}

fn announcement(event: &NewEvent<'_>) -> Announcement {
    if event.data.len() + event.meta.len() > MAX_SHARED {
        return Announcement::InStore {
            id: event.id,
            channel: Arc::from(event.channel),
        };
    }
    Announcement::Event(Arc::new(LiveEvent {
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
