//! A reader of a source's log. It reads the store whenever it is told that there is more.

use std::collections::VecDeque;

use sluice_store::{
    StoreError,
    logs::{self, StoredLog},
};
use tokio::sync::watch::Receiver;

use super::{PAGE, end::StreamEnd, seat::Seat};

pub struct LineReader {
    seat: Seat<Receiver<()>>,
    /// The newest line that was given.
    position: i64,
    page: VecDeque<StoredLog>,
    /// Whether there may be lines after those of the page.
    maybe_more: bool,
}

impl LineReader {
    pub(super) fn new(seat: Seat<Receiver<()>>, position: i64) -> LineReader {
        LineReader {
            seat,
            position,
            page: VecDeque::new(),
            maybe_more: true,
        }
    }

    /// The next line. A call that is dropped loses nothing.
    pub async fn next(&mut self) -> Result<StoredLog, StreamEnd> {
        let shutdown = self.seat.place.context.infra.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.draining() => Err(StreamEnd::Draining),
            next = self.go_on() => next,
        }
    }

    async fn go_on(&mut self) -> Result<StoredLog, StreamEnd> {
        loop {
            if let Some(line) = self.page.pop_front() {
                self.position = line.seq;
                return Ok(line);
            }
            if self.maybe_more {
                // News that comes while the store is read is looked at afterwards.
                self.seat.news.mark_unchanged();
                self.page = self.read().await?;
                self.maybe_more = !self.page.is_empty();
            } else {
                self.seat
                    .news
                    .changed()
                    .await
                    .map_err(|_| StreamEnd::Gone)?;
                self.maybe_more = true;
            }
        }
    }

    async fn read(&self) -> Result<VecDeque<StoredLog>, StoreError> {
        let (source, position) = (self.seat.place.source.clone(), self.position);
        let store = &self.seat.place.context.infra.store;
        let page = store.read(move |c| logs::after(c, &source, position, PAGE));
        Ok(page.await?.into())
    }
}
