//! A reader of a source's log. It reads the store whenever new lines are announced.

use std::collections::VecDeque;

use sluice_infra::Infra;
use sluice_store::{
    StoreError,
    logs::{self, StoredLog},
};
use tokio::sync::watch::Receiver;

use super::{
    end::StreamEnd,
    subscription::{PAGE, Subscription},
};

pub struct LogReader {
    infra: Infra,
    subscription: Subscription<Receiver<()>>,
    /// The newest line that was delivered.
    position: i64,
    page: VecDeque<StoredLog>,
    /// Whether the store may hold more lines.
    may_have_more: bool,
}

impl LogReader {
    pub(super) fn new(
        infra: Infra,
        subscription: Subscription<Receiver<()>>,
        position: i64,
    ) -> LogReader {
        LogReader {
            infra,
            subscription,
            position,
            page: VecDeque::new(),
            may_have_more: true,
        }
    }

    /// The next line. Cancelling the call loses nothing.
    pub async fn next(&mut self) -> Result<StoredLog, StreamEnd> {
        let shutdown = self.infra.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.draining() => Err(StreamEnd::Draining),
            next = self.next_line() => next,
        }
    }

    async fn next_line(&mut self) -> Result<StoredLog, StreamEnd> {
        loop {
            if let Some(line) = self.page.pop_front() {
                self.position = line.seq;
                return Ok(line);
            }
            if self.may_have_more {
                // Announcements during the read are handled after it.
                self.subscription.receiver.mark_unchanged();
                self.page = self.read().await?;
                self.may_have_more = !self.page.is_empty();
            } else {
                let changed = self.subscription.receiver.changed().await;
                changed.map_err(|_| StreamEnd::Gone)?;
                self.may_have_more = true;
            }
        }
    }

    async fn read(&self) -> Result<VecDeque<StoredLog>, StoreError> {
        let (emitter, position) = (self.subscription.emitter().clone(), self.position);
        let store = &self.infra.store;
        let page = store.read(move |c| logs::after(c, &emitter, position, PAGE));
        Ok(page.await?.into())
    }
}
