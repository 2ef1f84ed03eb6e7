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

use super::{LiveEvent, PAGE, end::StreamEnd, feed::News, seat::Seat};

/// A client that took longer to take what it was given, and missed something meanwhile, is too slow. One that
/// missed something in a burst is not.
const SLOW: Duration = Duration::from_secs(1);

pub struct EventReader {
    seat: Seat<Receiver<News>>,
    channels: ChannelFilter,
    /// The newest event that was given or passed over.
    position: Option<EventId>,
    phase: Phase,
    page: VecDeque<StoredEvent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Reads the store.
    History,
    /// Has read all that is stored, and has yet to go through the news of that time.
    CatchingUp,
    Live,
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
        phase: Phase,
    ) -> EventReader {
        EventReader {
            seat,
            channels,
            position,
            phase,
            page: VecDeque::new(),
        }
    }

    /// The next event. `taken_in` is how long the client took to take what it was given last. A call that is dropped
    /// loses nothing.
    pub async fn next(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        let draining = self.seat.place.context.draining.clone();
        tokio::select! {
            biased;
            () = draining.cancelled() => Err(StreamEnd::Draining),
            next = self.go_on(taken_in) => next,
        }
    }

    async fn go_on(&mut self, taken_in: Duration) -> Result<StreamedEvent, StreamEnd> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.position = Some(event.id);
                return Ok(StreamedEvent::Stored(event));
            }
            let news = match self.phase {
                Phase::History => {
                    self.page = self.read().await?;
                    if self.page.is_empty() {
                        self.phase = Phase::CatchingUp;
                    }
                    continue;
                }
                Phase::CatchingUp | Phase::Live => match self.seat.news.try_recv() {
                    Ok(news) => news,
                    Err(TryRecvError::Empty) => {
                        self.phase = Phase::Live;
                        match self.seat.news.recv().await {
                            Ok(news) => news,
                            Err(RecvError::Lagged(_)) => {
                                self.phase = Phase::History;
                                continue;
                            }
                            Err(RecvError::Closed) => return Err(StreamEnd::Gone),
                        }
                    }
                    Err(TryRecvError::Lagged(_))
                        if self.phase == Phase::Live && taken_in >= SLOW =>
                    {
                        return Err(StreamEnd::TooSlow);
                    }
                    Err(TryRecvError::Lagged(_)) => {
                        self.phase = Phase::History;
                        continue;
                    }
                    Err(TryRecvError::Closed) => return Err(StreamEnd::Gone),
                },
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
                self.phase = Phase::History;
                None
            }
            News::LookAgain => {
                self.phase = Phase::History;
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
        let store = &self.seat.place.context.store;
        let page = store.read(move |c| events::after(c, &source, &channels, position, PAGE));
        Ok(page.await?.into())
    }
}
