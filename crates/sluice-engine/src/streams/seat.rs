//! A reader's place on the server, given back when it goes.

use std::sync::Arc;

use sluice_model::EmitterId;
use tokio::sync::OwnedSemaphorePermit;

use super::feed::Feed;
use crate::{context::Context, error::EngineError};

/// What lets a reader in, given back when it goes.
pub(super) struct Ticket {
    pub(super) context: Arc<Context>,
    _permit: OwnedSemaphorePermit,
}

impl Ticket {
    pub(super) fn take(context: &Arc<Context>) -> Result<Ticket, EngineError> {
        if context.infra.shutdown.is_draining() {
            return Err(EngineError::shutting_down());
        }
        let streams = &context.streams;
        let permit = Arc::clone(&streams.seats).try_acquire_owned();
        let permit = permit.map_err(|_| {
            EngineError::Busy(format!(
                "this server has {} streams open, which is the most it takes; try again later",
                streams.most
            ))
        })?;
        context.infra.metrics.stream_readers.inc();
        Ok(Ticket {
            context: Arc::clone(context),
            _permit: permit,
        })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.context.infra.metrics.stream_readers.dec();
    }
}

/// A reader that listens to the feed of a source.
pub(super) struct Seat<R> {
    // Dropped before the place, which takes the feed away when nobody listens any more.
    pub(super) news: R,
    pub(super) place: Place,
}

pub(super) struct Place {
    pub(super) context: Arc<Context>,
    pub(super) source: EmitterId,
    _ticket: Ticket,
}

impl<R> Seat<R> {
    /// Takes a place and listens to the source's feed, which the first reader makes.
    pub(super) fn take(
        context: &Arc<Context>,
        source: &EmitterId,
        listen: impl FnOnce(&Feed) -> R,
    ) -> Result<Seat<R>, EngineError> {
        let ticket = Ticket::take(context)?;
        let mut feeds = context.streams.feeds.lock();
        let news = listen(feeds.entry(source.clone()).or_insert_with(Feed::new));
        let place = Place {
            context: Arc::clone(context),
            source: source.clone(),
            _ticket: ticket,
        };
        Ok(Seat { news, place })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut feeds = self.context.streams.feeds.lock();
        if feeds.get(&self.source).is_some_and(Feed::is_unheard) {
            feeds.remove(&self.source);
        }
    }
}
