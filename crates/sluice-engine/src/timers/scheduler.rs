//! The scheduler: sleeps until the next due time, and moves due work into the inbox.

use std::time::Duration;

use sluice_infra::{Backoff, Infra, until};
use sluice_store::{held_events, runs, timers};

use super::{
    batch::BATCH,
    clock::DueTimeClock,
    held::release_due,
    ticks::{fire_due, postpone_over_quota},
    waiting_runs::continue_due,
};
use crate::{
    due_times::DueTimes, error::EngineError, owner::Owners, quotas::Quotas, streams::Streams,
};

/// Of a node that knows of everything that is armed.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);
/// Of a node among others, which arm timers too.
const LONGEST_SLEEP_AMONG_OTHERS: Duration = Duration::from_secs(1);
/// Pause when all due work was in the hands of other nodes.
const CONTENDED_MS: i64 = 50;

pub(crate) struct Scheduler {
    pub(crate) infra: Infra,
    pub(crate) owners: Owners,
    pub(crate) quotas: Quotas,
    pub(crate) streams: Streams,
    pub(crate) due_times: DueTimes,
}

impl Scheduler {
    /// Runs until the server drains.
    pub(crate) async fn run(self) {
        let mut backoff = Backoff::store();
        let mut clock = DueTimeClock::default();
        while !self.infra.shutdown.is_draining() {
            let sleep = match self.round(&mut clock).await {
                Ok(next) => {
                    backoff.reset();
                    next.map_or(Duration::MAX, |due| until(due, self.infra.now_ms()))
                }
                Err(error) => {
                    tracing::warn!(%error, "scheduler round failed; retrying");
                    backoff.next_delay()
                }
            };
            tokio::select! {
                () = self.infra.shutdown.sleep(sleep.min(self.longest_sleep())) => {}
                () = self.due_times.changed() => {}
            }
        }
    }

    fn longest_sleep(&self) -> Duration {
        if self.infra.cluster.is_alone() {
            LONGEST_SLEEP
        } else {
            LONGEST_SLEEP_AMONG_OTHERS
        }
    }

    /// Moves due work into the inbox. Returns the next due time. A node without a lease leaves the work to others.
    async fn round(&self, clock: &mut DueTimeClock) -> Result<Option<i64>, EngineError> {
        if !self.infra.cluster.lease().is_held() {
            return Ok(None);
        }
        clock.check(&self.infra).await?;
        let armed = self.due_times.take();
        let now_ms = self.infra.now_ms();
        let read = self.infra.store.read(move |c| {
            let next = [
                timers::next_due(c)?,
                held_events::next_due(c)?,
                runs::next_due(c)?,
            ];
            let held = held_events::due(c, now_ms, BATCH)?;
            let waiting = runs::due(c, now_ms, BATCH)?;
            Ok((timers::due(c, now_ms, BATCH)?, held, waiting, next))
        });
        let (ticks, held, waiting, next) = read.await?;
        if ticks.is_empty() && held.is_empty() && waiting.is_empty() {
            return Ok([armed].into_iter().chain(next).flatten().min());
        }
        let (infra, owners) = (&self.infra, &self.owners);
        let mut moved = release_due(infra, owners, held).await?;
        moved += continue_due(infra, owners, waiting).await?;
        let (postponed, ticks) =
            postpone_over_quota(infra, &self.quotas, &self.streams, ticks).await?;
        moved += postponed + fire_due(infra, owners, ticks).await?;
        let pause_ms = if moved == 0 { CONTENDED_MS } else { 0 };
        Ok(Some(now_ms + pause_ms))
    }
}

#[cfg(test)]
mod tests;
