//! A reader of a source's events: first what is stored after its position, then what is stored from now on.

use std::{collections::VecDeque, sync::Arc, time::Duration};

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
    LiveEvent, PAGE,
    end::StreamEnd,
    feed::{News, RING},
    seat::Seat,
};

/// A client that took longer than this to take what it was given, and missed something meanwhile, is too slow. One that
/// missed something in a burst is not, and reads the store.
const SLOW: Duration = Duration::from_secs(1);

pub struct EventReader {
    seat: Seat<Receiver<News>>,
    channels: ChannelFilter,
    /// The newest event that was given or passed over.
    position: Option<EventId>,
    reads: Reads,
    page: VecDeque<StoredEvent>,
    /// Whether it has once had all that there was. Until then it may take its time.
    caught_up: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// There may be something in the store that it has not got.
    Store,
    /// All that it has not got is in the news, or was pushed out of there.
    News,
}

pub enum StreamedEvent {
    Stored(StoredEvent),
    Live(Arc<LiveEvent>),
}

impl EventReader {
    pub(super) fn new(
        seat: Seat<Receiver<News>>,
        channels: ChannelFilter,
        position: Option<EventId>,
        reads: Reads,
    ) -> EventReader {
        EventReader {
            seat,
            channels,
            position,
            reads,
            page: VecDeque::new(),
            caught_up: false,
        }
    }

    /// The next event. `taken_in` is how long the client took to take what it was given last. A call that is dropped
    /// loses nothing.
    pub async fn next(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        let shutdown = self.seat.place.context.infra.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.draining() => Err(StreamEnd::Draining),
            next = self.go_on(taken_in) => next,
        }
    }

    async fn go_on(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        if self.caught_up && taken_in >= SLOW && self.seat.news.len() > RING {
            return Err(StreamEnd::TooSlow);
        }
        loop {
            if let Some(event) = self.page.pop_front() {
                self.position = Some(event.id);
                return Ok(StreamedEvent::Stored(event));
            }
            if self.reads == Reads::Store {
                self.page = self.read().await?;
                if self.page.is_empty() {
                    self.reads = Reads::News;
                }
                continue;
            }
            let news = match self.seat.news.try_recv() {
                Err(TryRecvError::Empty) => {
                    self.caught_up = true;
                    self.seat.news.recv().await
                }
                Ok(news) => Ok(news),
                Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
            };
            let news = match news {
                Ok(news) => news,
                Err(RecvError::Lagged(_)) => News::LookAgain,
                Err(RecvError::Closed) => return Err(StreamEnd::Gone),
            };
            if let Some(event) = self.heard(news) {
                return Ok(StreamedEvent::Live(event));
            }
        }
    }

    fn heard(&mut self, news: News) -> Option<Arc<LiveEvent>> {
        match news {
            News::Event(live) if self.is_new(live.event.id) => {
                self.position = Some(live.event.id);
                self.channels.admits(&live.event.channel).then_some(live)
            }
            News::InStore { id, channel } if self.is_new(id) && self.channels.admits(&channel) => {
                self.reads = Reads::Store;
                None
            }
            News::LookAgain => {
                self.reads = Reads::Store;
                None
            }
            News::Event(_) | News::InStore { .. } => None,
        }
    }

    fn is_new(&self, id: EventId) -> bool {
        self.position.is_none_or(|position| id > position)
    }

    async fn read(&self) -> Result<VecDeque<StoredEvent>, StoreError> {
        let (source, channels) = (self.seat.place.source.clone(), self.channels.clone());
        let position = self.position;
        let store = &self.seat.place.context.infra.store;
        let page = store.read(move |c| events::after(c, &source, &channels, position, PAGE));
        Ok(page.await?.into())
    }
}
