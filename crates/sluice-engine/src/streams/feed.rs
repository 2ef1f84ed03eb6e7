//! Feeds: committed events are announced to the readers of their emitter.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    events::{NewEvent, StoredEvent},
    progress::Progress,
};
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
    /// The claim under which this node committed last. The commits of another claim may not have been announced here.
    epoch: Option<i64>,
    /// The last event and the last log line that another node may have stored, as far as they were announced.
    stored: (Option<EventId>, i64),
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
    /// Events up to this one were stored, perhaps by another node.
    StoredUpTo(EventId),
    /// Events may have been stored.
    Reload,
}

/// An event that all readers of its emitter share.
pub struct LiveEvent {
    pub(super) event: StoredEvent,
    frame: OnceLock<Bytes>,
}

impl LiveEvent {
    pub fn event(&self) -> &StoredEvent {
        &self.event
    }

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
            epoch: None,
            stored: (None, 0),
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

    /// Announces the events of a commit. Commits must be announced in their order. `epoch` is the claim of the emitter; `None`
    /// when no other node can commit.
    pub(super) fn publish<'a>(
        &self,
        emitter: &EmitterId,
        epoch: Option<i64>,
        events: impl ExactSizeIterator<Item = NewEvent<'a>>,
    ) {
        let mut feeds = self.0.lock();
        let Some(Feed {
            events: feed,
            epoch: last_epoch,
            ..
        }) = feeds.get_mut(emitter)
        else {
            return;
        };
        let is_new_claim = std::mem::replace(last_epoch, epoch) != epoch;
        if feed.receiver_count() == 0 {
            return;
        }
        // So many events would push each other out of the buffer, and those of the owner before may be missing in it.
        if events.len() > BUFFER / 2 || is_new_claim {
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
        self.reload_events(emitter);
        self.logs_written(emitter);
    }

    pub(super) fn reload_events(&self, emitter: &EmitterId) {
        if let Some(feed) = self.0.lock().get(emitter) {
            let _ = feed.events.send(Announcement::Reload);
        }
    }

    /// The emitters that have readers.
    pub(super) fn emitters(&self) -> Vec<EmitterId> {
        self.0.lock().keys().cloned().collect()
    }

    /// Announces what other nodes have stored since the last time. Under a claim of this node all events are announced by
    /// their commits.
    pub(super) fn compare(&self, progress: &Progress) {
        let mut feeds = self.0.lock();
        let Some(feed) = feeds.get_mut(&progress.emitter_id) else {
            return;
        };
        let (last_event, last_line) = &mut feed.stored;
        if let Some(id) = progress.last_event
            && feed.epoch != Some(progress.epoch)
            && last_event.replace(id) != Some(id)
        {
            let _ = feed.events.send(Announcement::StoredUpTo(id));
        }
        if progress.last_line > *last_line {
            *last_line = progress.last_line;
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
