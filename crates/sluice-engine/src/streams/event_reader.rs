//! A reader of events: first the stored ones after its position, then new ones from the feed.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use sluice_infra::Infra;
use sluice_model::EventId;
use sluice_store::{
    StoreError,
    events::{self, ChannelFilter, StoredEvent},
};
use tokio::sync::broadcast::{
    Receiver,
    error::{RecvError, TryRecvError},
};

use super::{
    end::StreamEnd,
    feed::{Announcement, BUFFER, LiveEvent},
    subscription::{PAGE, Subscription},
};

/// A client that took longer than this for an event and fell behind the feed is too slow. A client that fell behind in a
/// burst reads the store.
const SLOW: Duration = Duration::from_secs(1);

pub struct EventReader {
    infra: Infra,
    subscription: Subscription<Receiver<Announcement>>,
    channels: ChannelFilter,
    position: Position,
    page: VecDeque<StoredEvent>,
    /// Whether it has read everything once. Until then it may take its time.
    caught_up: bool,
}

/// The newest event that was delivered or skipped, and where the next ones come from.
pub(super) struct Position {
    last: Option<EventId>,
    next: Next,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The store may hold newer events.
    Store,
    /// All newer events are in the feed, or were pushed out of it.
    Feed,
}

impl Position {
    pub(super) fn in_store(last: Option<EventId>) -> Position {
        let next = Next::Store;
        Position { last, next }
    }

    pub(super) fn in_feed(last: Option<EventId>) -> Position {
        let next = Next::Feed;
        Position { last, next }
    }
}

pub enum StreamedEvent {
    Stored(StoredEvent),
    Live(Arc<LiveEvent>),
}

impl EventReader {
    pub(super) fn new(
        infra: Infra,
        subscription: Subscription<Receiver<Announcement>>,
        channels: ChannelFilter,
        position: Position,
    ) -> EventReader {
        EventReader {
            infra,
            subscription,
            channels,
            position,
            page: VecDeque::new(),
            caught_up: false,
        }
    }

    /// The next event. `taken_in` is the time that the client took for the last one. Cancelling the call loses nothing.
    pub async fn next(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        let shutdown = self.infra.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.draining() => Err(StreamEnd::Draining),
            next = self.next_event(taken_in) => next,
        }
    }

    async fn next_event(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        let is_behind = self.subscription.receiver.len() > BUFFER;
        if self.caught_up && taken_in >= SLOW && is_behind {
            return Err(StreamEnd::TooSlow);
        }
        loop {
            if let Some(event) = self.page.pop_front() {
                self.position.last = Some(event.id);
                return Ok(StreamedEvent::Stored(event));
            }
            if self.position.next == Next::Store {
                self.page = self.read().await?;
                if self.page.is_empty() {
                    self.position.next = Next::Feed;
                }
                continue;
            }
            let announcement = self.announcement().await?;
            if let Some(event) = self.on_announcement(announcement) {
                return Ok(StreamedEvent::Live(event));
            }
        }
    }

    async fn announcement(&mut self) -> Result<Announcement, StreamEnd> {
        let receiver = &mut self.subscription.receiver;
        let next = match receiver.try_recv() {
            Err(TryRecvError::Empty) => {
                self.caught_up = true;
                receiver.recv().await
            }
            Ok(announcement) => Ok(announcement),
            Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
        };
        match next {
            Ok(announcement) => Ok(announcement),
            Err(RecvError::Lagged(_)) => Ok(Announcement::Reload),
            Err(RecvError::Closed) => Err(StreamEnd::Gone),
        }
    }

    fn on_announcement(&mut self, announcement: Announcement) -> Option<Arc<LiveEvent>> {
        match announcement {
            Announcement::Event(live) if self.is_new(live.event.id) => {
                self.position.last = Some(live.event.id);
                self.channels.admits(&live.event.channel).then_some(live)
            }
            Announcement::InStore { id, channel }
                if self.is_new(id) && self.channels.admits(&channel) =>
            {
                self.position.next = Next::Store;
                None
            }
            Announcement::StoredUpTo(id) if self.is_new(id) => {
                self.position.next = Next::Store;
                None
            }
            Announcement::Reload => {
                self.position.next = Next::Store;
                None
            }
            Announcement::Event(_) | Announcement::InStore { .. } | Announcement::StoredUpTo(_) => {
                None
            }
        }
    }

    fn is_new(&self, id: EventId) -> bool {
        self.position.last.is_none_or(|last| id > last)
    }

    async fn read(&self) -> Result<VecDeque<StoredEvent>, StoreError> {
        let (emitter, channels) = (self.subscription.emitter().clone(), self.channels.clone());
        let last = self.position.last;
        let store = &self.infra.store;
        let page = store.read(move |c| events::after(c, &emitter, &channels, last, PAGE));
        Ok(page.await?.into())
    }
}
