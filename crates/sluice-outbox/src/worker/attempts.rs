//! Starting attempts, and deciding from their results.

use std::{sync::Arc, time::Duration};

use sluice_infra::{Infra, millis};
use tokio::{sync::Semaphore, time::Instant};
use tracing::Instrument;

use super::{Worker, peers};
use crate::{
    row::{Batch, Fate, Finished, Outcome, Row, Verdict},
    sender::Sender,
    strategy::{Slot, SlowPeers},
    table::Table,
};

/// Rows of a receiver that does not answer are postponed for this time.
const POSTPONED: Duration = Duration::from_secs(30);

/// An attempt that is over.
pub(super) struct Ended<R: Row> {
    batch: Batch<R>,
    /// None when the server began to drain before the attempt.
    outcome: Option<Outcome<R::Report>>,
    took: Duration,
}

impl<T: Table> Worker<T> {
    /// Takes a batch that was read into the window, unless it has waited too long for a receiver that is down: otherwise the
    /// queue of a dead receiver grows without bound.
    pub(super) fn accept(&mut self, batch: Batch<T::Row>) {
        let now_ms = self.infra.now_ms();
        if !self.peers.is_down(&batch.peer, Instant::now())
            || !self
                .schedule
                .is_past_patience(batch.waiting_since(), now_ms)
        {
            self.waiting.push_back(batch);
            return;
        }
        let reason = format!(
            "given up: it was due for more than {:?} and the {} did not work",
            self.schedule.patience(),
            self.key.receiver(),
        );
        self.finish(Finished {
            tries: batch.tries(),
            attempted: false,
            report: Some(T::Row::given_up(reason, now_ms)),
            fate: Fate::Failed,
            batch,
        });
    }

    /// Starts attempts, the first rows first, as far as there are slots.
    pub(super) fn start_attempts(&mut self, now: Instant) {
        self.bypass_slow_peers(now);
        let before = self.attempts.len();
        for batch in std::mem::take(&mut self.waiting) {
            if self.peers.take_slot(&batch.peer, &self.strategy, now) {
                let row = batch.ids().next().map(tracing::field::display);
                let span = tracing::info_span!("delivery", queue = %self.key, row);
                let (permits, sender) = (Arc::clone(&self.permits), Arc::clone(&self.sender));
                let attempt = attempt(self.infra.clone(), permits, sender, batch);
                self.attempts.push(Box::pin(attempt.instrument(span)));
            } else {
                self.waiting.push_back(batch);
            }
        }
        let is_stuck = self.strategy.slow_peers == SlowPeers::Bypass && self.room().is_none();
        if !is_stuck || self.attempts.len() > before {
            self.stuck_since = None;
        } else {
            self.stuck_since.get_or_insert(now);
        }
    }

    /// Postpones rows whose receiver does not answer, so that the rows behind them are read.
    fn bypass_slow_peers(&mut self, now: Instant) {
        if self.strategy.slow_peers == SlowPeers::Wait {
            return;
        }
        if self
            .stuck_since
            .is_some_and(|since| since + peers::SLOW <= now)
        {
            self.stuck_since = None;
            let waiting = self.waiting.iter().map(|batch| batch.peer.as_str());
            self.peers.trip_busy(waiting);
        }
        let now_ms = self.infra.now_ms();
        for batch in std::mem::take(&mut self.waiting) {
            let pause = match self.peers.pause(&batch.peer, now) {
                Some(end) => end.duration_since(now),
                None if self.peers.is_probed(&batch.peer) => POSTPONED,
                None => {
                    self.waiting.push_back(batch);
                    continue;
                }
            };
            self.finished.push(Finished {
                tries: batch.tries(),
                attempted: false,
                report: None,
                fate: Fate::Postponed {
                    due_at: now_ms.saturating_add(millis(pause)),
                },
                batch,
            });
        }
    }

    pub(super) fn on_attempt(&mut self, ended: Ended<T::Row>) {
        let Ended {
            batch,
            outcome,
            took,
        } = ended;
        let Some(Outcome { verdict, report }) = outcome else {
            self.peers.free_slot(&batch.peer);
            self.forget(&batch);
            return;
        };
        let jitter = self.infra.ids.jitter();
        self.peers
            .attempted(&batch.peer, &verdict, took, jitter, &self.strategy);
        if self.strategy.slot == Slot::UntilAnswered {
            self.peers.free_slot(&batch.peer);
        }
        let (fate, tries) = self.decide(&batch, &verdict);
        if fate == Fate::Gone {
            self.drop_waiting();
        }
        self.finish(Finished {
            batch,
            fate,
            tries,
            attempted: true,
            report: Some(report),
        });
    }

    fn decide(&self, batch: &Batch<T::Row>, verdict: &Verdict) -> (Fate, u32) {
        let tries = batch.tries() + 1;
        let fate = match verdict {
            Verdict::Sent => Fate::Sent,
            Verdict::Failed => Fate::Failed,
            Verdict::Gone => Fate::Gone,
            Verdict::Pause(_) => return (Fate::StillDue, batch.tries()),
            Verdict::Retry { after, .. } => {
                let pause = self.schedule.pause(tries, *after, self.infra.ids.jitter());
                pause.map_or(Fate::Failed, |pause| Fate::Retry {
                    due_at: self.infra.now_ms().saturating_add(millis(pause)),
                })
            }
        };
        (fate, tries)
    }

    fn finish(&mut self, finished: Finished<T::Row>) {
        self.table.count(&finished);
        self.finished.push(finished);
    }

    pub(super) fn free_slot_of_recorded(&mut self, finished: &Finished<T::Row>) {
        if finished.attempted && self.strategy.slot == Slot::UntilRecorded {
            self.peers.free_slot(&finished.batch.peer);
        }
    }
}

/// Makes an attempt when there is a permit for it. A server that drains starts none.
async fn attempt<R: Row>(
    infra: Infra,
    permits: Arc<Semaphore>,
    sender: Arc<dyn Sender<R>>,
    mut batch: Batch<R>,
) -> Ended<R> {
    let permit = tokio::select! {
        biased;
        () = infra.shutdown.draining() => None,
        // The semaphore is never closed.
        permit = permits.acquire() => permit.ok(),
    };
    let started = Instant::now();
    let outcome = match permit {
        Some(_) => Some(sender.attempt(&mut batch.rows).await),
        None => None,
    };
    Ended {
        batch,
        outcome,
        took: started.elapsed(),
    }
}
