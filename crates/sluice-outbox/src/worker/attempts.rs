//! The attempts of a queue: starting them within slots and permits, and deciding from their results.

use std::{collections::VecDeque, future::Future, pin::Pin, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use sluice_cluster::LeaseTerm;
use sluice_infra::{Infra, millis};
use sluice_store::queue_claims::OpenBreaker;
use tokio::{sync::Semaphore, time::Instant};
use tracing::Instrument;

use super::peers::{Moment, Peers};
use crate::{
    decision::decide,
    queue_key::QueueKey,
    retry_schedule::RetrySchedule,
    row::{Batch, Fate, Finished, Outcome, Row},
    sender::Sender,
    strategy::{Slot, SlowPeers, Strategy},
};

/// Rows of a receiver that does not answer are postponed for this time.
const POSTPONED: Duration = Duration::from_secs(30);

pub(super) struct Attempts<R: Row> {
    key: QueueKey,
    infra: Infra,
    sender: Arc<dyn Sender<R>>,
    schedule: RetrySchedule,
    /// Permits for attempts, of which the server has a limited number.
    permits: Arc<Semaphore>,
    strategy: Strategy,
    peers: Peers,
    under_way: FuturesUnordered<Pin<Box<dyn Future<Output = Ended<R>> + Send>>>,
}

/// An attempt that is over.
pub(super) struct Ended<R: Row> {
    batch: Batch<R>,
    /// None when the server began to drain, or lost its lease, before the attempt.
    outcome: Option<Outcome<R::Report>>,
    took: Duration,
}

impl<R: Row> Attempts<R> {
    pub(super) fn new(
        key: QueueKey,
        infra: Infra,
        sender: Arc<dyn Sender<R>>,
        schedule: RetrySchedule,
        permits: Arc<Semaphore>,
    ) -> Attempts<R> {
        Attempts {
            key,
            infra,
            strategy: sender.strategy(),
            sender,
            schedule,
            permits,
            peers: Peers::default(),
            under_way: FuturesUnordered::new(),
        }
    }

    /// Goes on with the circuit breakers of the worker before. No attempt is under way.
    pub(super) fn restore(&mut self, open: &[OpenBreaker]) {
        self.peers = Peers::restored(open, self.moment());
    }

    /// The circuit breakers that are open, if they have to be saved.
    pub(super) fn take_unsaved_breakers(&mut self) -> Option<Vec<OpenBreaker>> {
        let moment = self.moment();
        self.peers.take_unsaved(moment)
    }

    fn moment(&self) -> Moment {
        Moment {
            now: Instant::now(),
            now_ms: self.infra.now_ms(),
        }
    }

    pub(super) fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    pub(super) fn set_concurrency(&mut self, concurrency: usize) {
        self.strategy.concurrency = concurrency;
        self.strategy.per_peer = concurrency;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The next attempt that ends; never, when none is under way.
    pub(super) async fn next(&mut self) -> Ended<R> {
        match self.under_way.next().await {
            Some(ended) => ended,
            None => std::future::pending().await,
        }
    }

    /// Divides rows into batches, in order.
    pub(super) fn prepare(&self, rows: Vec<R>) -> Vec<Batch<R>> {
        self.sender.prepare(rows)
    }

    /// Starts attempts, the first rows first, as far as there are slots. They are made in this term of the lease only. Returns
    /// whether it started any.
    pub(super) fn start(
        &mut self,
        waiting: &mut VecDeque<Batch<R>>,
        now: Instant,
        term: LeaseTerm,
    ) -> bool {
        let before = self.under_way.len();
        let mut position = 0;
        // Most of the time no slot is free, and the rows that wait are not looked at.
        while self.peers.has_slots(&self.strategy)
            && let Some(batch) = waiting.get(position)
        {
            if self.peers.take_slot(&batch.peer, &self.strategy, now) {
                if let Some(batch) = waiting.remove(position) {
                    self.begin(batch, term);
                }
            } else if self.strategy.slow_peers == SlowPeers::Wait {
                // All rows are for this receiver.
                break;
            } else {
                position += 1;
            }
        }
        self.under_way.len() > before
    }

    fn begin(&self, batch: Batch<R>, term: LeaseTerm) {
        let row = batch.ids().next().map(tracing::field::display);
        let span = tracing::debug_span!("delivery", queue = %self.key, row);
        let (permits, sender) = (Arc::clone(&self.permits), Arc::clone(&self.sender));
        let attempt = attempt(self.infra.clone(), term, permits, sender, batch);
        self.under_way.push(Box::pin(attempt.instrument(span)));
    }

    /// Receivers that are busy and let batches wait get one attempt at a time until they answer.
    pub(super) fn trip_busy(&mut self, waiting: &VecDeque<Batch<R>>) {
        let peers = waiting.iter().map(|batch| batch.peer.as_str());
        self.peers.trip_busy(peers);
    }

    /// Takes out batches whose receiver does not answer, so that the rows behind them are read.
    pub(super) fn postpone(
        &self,
        waiting: &mut VecDeque<Batch<R>>,
        now: Instant,
    ) -> Vec<Finished<R>> {
        let mut postponed = Vec::new();
        if self.strategy.slow_peers == SlowPeers::Wait || !self.peers.has_slow(now) {
            return postponed;
        }
        let now_ms = self.infra.now_ms();
        for batch in std::mem::take(waiting) {
            let pause = match self.peers.pause(&batch.peer, now) {
                Some(end) => end.duration_since(now),
                None if self.peers.is_probed(&batch.peer) => POSTPONED,
                None => {
                    waiting.push_back(batch);
                    continue;
                }
            };
            let due_at = now_ms.saturating_add(millis(pause));
            postponed.push(unattempted(batch, Fate::Postponed { due_at }, None));
        }
        postponed
    }

    /// Gives up a batch that has waited too long for a receiver that is down. Otherwise the queue of a dead receiver grows
    /// without bound.
    pub(super) fn give_up(&self, batch: Batch<R>) -> Result<Batch<R>, Finished<R>> {
        let now_ms = self.infra.now_ms();
        let since = batch.waiting_since();
        if !self.peers.is_down(&batch.peer, Instant::now())
            || !self.schedule.is_past_patience(since, now_ms)
        {
            return Ok(batch);
        }
        let reason = format!(
            "given up: it was due for more than {:?} and the {} did not work",
            self.schedule.patience(),
            self.key.receiver(),
        );
        let report = R::given_up(reason, now_ms);
        Err(unattempted(batch, Fate::Failed, Some(report)))
    }

    /// Decides what becomes of a batch. A batch that was not attempted is given back.
    pub(super) fn end(&mut self, ended: Ended<R>) -> Result<Finished<R>, Batch<R>> {
        let Ended {
            batch,
            outcome,
            took,
        } = ended;
        let Some(Outcome { verdict, report }) = outcome else {
            self.peers.free_slot(&batch.peer);
            return Err(batch);
        };
        let jitter = self.infra.ids.jitter();
        self.peers
            .attempted(&batch.peer, &verdict, took, jitter, &self.strategy);
        if self.strategy.slot == Slot::UntilAnswered {
            self.peers.free_slot(&batch.peer);
        }
        let (fate, tries) = decide(&self.infra, &self.schedule, batch.tries(), &verdict);
        Ok(Finished {
            batch,
            fate,
            tries,
            attempted: true,
            report: Some(report),
        })
    }

    /// A result is recorded.
    pub(super) fn recorded(&mut self, finished: &Finished<R>) {
        if finished.attempted && self.strategy.slot == Slot::UntilRecorded {
            self.peers.free_slot(&finished.batch.peer);
        }
    }

    /// The end of the pause of a queue with one receiver.
    pub(super) fn pause(&self, now: Instant) -> Option<Instant> {
        match self.strategy.slow_peers {
            SlowPeers::Wait => self.peers.pause("", now),
            SlowPeers::Bypass => None,
        }
    }

    /// Closes all circuit breakers.
    pub(super) fn reset(&mut self) {
        self.peers.reset();
    }
}

fn unattempted<R: Row>(batch: Batch<R>, fate: Fate, report: Option<R::Report>) -> Finished<R> {
    Finished {
        tries: batch.tries(),
        attempted: false,
        batch,
        fate,
        report,
    }
}

/// Makes an attempt when there is a permit for it. A server that drains starts none, nor does one whose lease has run out:
/// another node may work on the queue.
async fn attempt<R: Row>(
    infra: Infra,
    term: LeaseTerm,
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
        Some(_) if infra.cluster.lease().term() == Some(term) => {
            Some(sender.attempt(&mut batch.rows).await)
        }
        Some(_) | None => None,
    };
    Ended {
        batch,
        outcome,
        took: started.elapsed(),
    }
}
