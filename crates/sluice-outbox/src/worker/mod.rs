//! The worker of a queue. It claims the queue, reads due rows, starts attempts within its slots, records results, sleeps
//! until the next due time or a wake-up, and leaves when the queue is empty.
//!
//! Reading, attempts and recording go on at the same time and none of them blocks the loop.

mod attempts;
mod peers;

use std::{
    collections::{BTreeSet, VecDeque},
    future::Future,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use sluice_cluster::LeaseTerm;
use sluice_infra::{Backoff, ClockWatch, Infra, until};
use sluice_store::{BatchLimit, StoreError};
use tokio::{sync::Semaphore, time::Instant};

use self::{
    attempts::{Attempts, Ended},
    peers::SLOW,
};
use crate::{
    claims::{Claim, Claims},
    clock_correction::correct_due_times,
    queue_key::QueueKey,
    recording::{Recorded, record},
    registry::Registry,
    retry_schedule::RetrySchedule,
    row::{Batch, Fate, Finished, Row},
    sender::Sender,
    strategy::{Refill, SlowPeers},
    table::{Page, Table},
    wakeup::{Signal, Wakeup},
};

/// Rows whose results the store rejects are due as before and must not be sent over and over.
const REJECTED_PAUSE: Duration = Duration::from_mins(5);

type Task<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Id<T> = <<T as Table>::Row as Row>::Id;

/// Why a worker stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// It is unregistered.
    QueueEmpty,
    /// The server drains, or its lease has run out.
    Interrupted,
}

/// The parts of a worker.
pub(crate) struct WorkerParts<T: Table> {
    pub(crate) infra: Infra,
    pub(crate) registry: Arc<Registry>,
    pub(crate) claims: Arc<Claims>,
    pub(crate) clock_watch: Arc<ClockWatch>,
    pub(crate) table: T,
    pub(crate) sender: Arc<dyn Sender<T::Row>>,
    pub(crate) schedule: RetrySchedule,
    pub(crate) permits: Arc<Semaphore>,
}

pub(crate) struct Worker<T: Table> {
    key: QueueKey,
    wakeup: Arc<Wakeup>,
    infra: Infra,
    registry: Arc<Registry>,
    claims: Arc<Claims>,
    clock_watch: Arc<ClockWatch>,
    table: Arc<T>,
    waiting: VecDeque<Batch<T::Row>>,
    /// Rows that wait here, are under way or are being recorded: in the store they are due all the same.
    in_hand: BTreeSet<Id<T>>,
    attempts: Attempts<T::Row>,
    finished: Vec<Finished<T::Row>>,
    recording: Option<Task<Recorded<T::Row>>>,
    /// Circuit breakers on their way to the store.
    saving: Option<Task<()>>,
    reading: Option<Task<Result<Page<T::Row>, StoreError>>>,
    /// Whether rows may be due that are not in hand.
    may_have_more: bool,
    /// Whether the last page was so large that more rows are probably due.
    backlog: bool,
    next_due: Option<Instant>,
    /// Nothing is read or started before.
    held_until: Option<Instant>,
    read_backoff: Backoff,
    /// Since when the window is full and no attempt could start.
    stuck_since: Option<Instant>,
}

impl<T: Table> Worker<T> {
    pub(crate) fn new(key: QueueKey, wakeup: Arc<Wakeup>, parts: WorkerParts<T>) -> Worker<T> {
        let WorkerParts {
            infra,
            registry,
            claims,
            clock_watch,
            table,
            sender,
            schedule,
            permits,
        } = parts;
        Worker {
            attempts: Attempts::new(key.clone(), infra.clone(), sender, schedule, permits),
            key,
            wakeup,
            infra,
            registry,
            claims,
            clock_watch,
            table: Arc::new(table),
            waiting: VecDeque::new(),
            in_hand: BTreeSet::new(),
            finished: Vec::new(),
            recording: None,
            saving: None,
            reading: None,
            may_have_more: true,
            backlog: false,
            next_due: None,
            held_until: None,
            read_backoff: Backoff::store(),
            stuck_since: None,
        }
    }

    pub(crate) async fn run(mut self) {
        while let Some(term) = self.claim().await {
            if self.work(term).await == Stop::QueueEmpty {
                return;
            }
        }
    }

    /// Claims the queue. `None` when the server drains, or when another node has the queue: that is told of the wake-ups.
    async fn claim(&mut self) -> Option<LeaseTerm> {
        loop {
            match self.claims.claim(&self.key).await? {
                Claim::Here { term, open } => {
                    self.attempts.restore(&open);
                    return Some(term);
                }
                Claim::Elsewhere { node, .. } => {
                    self.pass_wakeup_on(&node);
                    if self.registry.release(&self.key, &self.wakeup) {
                        return None;
                    }
                }
            }
        }
    }

    fn pass_wakeup_on(&self, node: &str) {
        self.wakeup.take();
        let signal = if self.wakeup.take_change() {
            Signal::Change
        } else {
            Signal::Wake
        };
        self.infra.cluster.hint(node, self.key.hint(signal));
    }

    /// Works in one term of the lease, until the queue is empty. What is under way is brought to its end in any case.
    async fn work(&mut self, term: LeaseTerm) -> Stop {
        let shutdown = self.infra.shutdown.clone();
        let lease = self.infra.cluster.lease().clone();
        let mut lease_changes = lease.changes();
        loop {
            let draining = shutdown.is_draining();
            let interrupted = draining || lease.term() != Some(term);
            let now = Instant::now();
            self.on_wakeup(now);
            if interrupted {
                self.drop_waiting();
            } else {
                self.start_attempts(now, term);
                // Attempts that started have left room in the window.
                self.start_reading(now);
            }
            self.start_recording();
            if self.is_done() {
                // The next worker of the queue tries the receivers anew.
                self.attempts.reset();
            }
            self.start_saving();
            if self.is_idle() && interrupted {
                return Stop::Interrupted;
            }
            if self.is_done() && self.registry.release(&self.key, &self.wakeup) {
                return Stop::QueueEmpty;
            }
            let timer = self.timer(now).filter(|_| !interrupted);
            tokio::select! {
                ended = self.attempts.next() => self.on_attempt(ended),
                recorded = next(&mut self.recording) => self.on_recorded(&recorded),
                () = next(&mut self.saving) => {}
                _ = lease_changes.changed() => {}
                page = next(&mut self.reading) => self.on_page(page),
                () = self.wakeup.pending() => {}
                () = sleep_until(timer) => {}
                () = shutdown.draining(), if !draining => {}
            }
        }
    }

    fn on_wakeup(&mut self, now: Instant) {
        if self.wakeup.take() {
            self.may_have_more = true;
        }
        if self.wakeup.take_change() {
            // The destination may work now, and the rows that were read may belong elsewhere.
            self.attempts.reset();
            self.held_until = None;
            self.drop_waiting();
        }
        if self.next_due.is_some_and(|due| due <= now) {
            self.next_due = None;
            self.may_have_more = true;
        }
        self.held_until = self.held_until.filter(|until| *until > now);
        if self.pause(now).is_some() {
            self.drop_waiting();
        }
    }

    /// The end of the pause of the whole queue.
    fn pause(&self, now: Instant) -> Option<Instant> {
        self.held_until.max(self.attempts.pause(now))
    }

    /// Rows that were not attempted are read again, the first of them first: no later ones are read before, nor until
    /// everything in hand is recorded.
    fn drop_waiting(&mut self) {
        self.reading = None;
        self.backlog = false;
        self.may_have_more = true;
        for batch in std::mem::take(&mut self.waiting) {
            self.forget(&batch);
        }
    }

    fn forget(&mut self, batch: &Batch<T::Row>) {
        for id in batch.ids() {
            self.in_hand.remove(&id);
        }
    }

    fn start_reading(&mut self, now: Instant) {
        if !self.may_have_more || self.reading.is_some() || self.pause(now).is_some() {
            return;
        }
        let Some(room) = self.room() else { return };
        // A wake-up during the read is handled after it.
        self.may_have_more = false;
        let (table, in_hand) = (Arc::clone(&self.table), self.in_hand.clone());
        let (watch, infra) = (Arc::clone(&self.clock_watch), self.infra.clone());
        self.reading = Some(Box::pin(async move {
            correct_due_times(&watch, &infra).await?;
            table.read(in_hand, room).await
        }));
    }

    /// The part of the window that is free.
    fn room(&self) -> Option<BatchLimit> {
        let strategy = self.attempts.strategy();
        let window = strategy.window;
        if self.in_hand.is_empty() {
            return Some(window);
        }
        let may_refill = match strategy.refill {
            Refill::WhenEmpty => false,
            Refill::Backlog => self.backlog && self.waiting.len() <= self.refill_mark(),
            Refill::Continuous => true,
        };
        if !may_refill {
            return None;
        }
        let bytes: usize = self.waiting.iter().map(Batch::bytes).sum();
        let bytes = window.bytes.checked_sub(u64::try_from(bytes).ok()?)?;
        let rows = u32::try_from(self.waiting.len()).ok()?;
        let rows = window.rows.checked_sub(rows)?;
        (rows > 0 && bytes > 0).then_some(BatchLimit { rows, bytes })
    }

    /// The number of rows at which the window of a queue with a backlog is refilled.
    fn refill_mark(&self) -> usize {
        self.attempts.strategy().window.rows as usize / 2
    }

    fn on_page(&mut self, page: Result<Page<T::Row>, StoreError>) {
        let Page {
            rows,
            next_due,
            concurrency,
            destination_time,
        } = match page {
            Ok(page) => page,
            Err(error) => {
                let pause = if error.is_retryable() {
                    tracing::warn!(queue = %self.key, %error, "due rows not read; retrying");
                    self.read_backoff.next_delay()
                } else {
                    tracing::error!(queue = %self.key, %error, "store rejected the read of due rows");
                    REJECTED_PAUSE
                };
                self.may_have_more = true;
                self.held_until = Some(Instant::now() + pause);
                return;
            }
        };
        self.read_backoff.reset();
        if let Some(concurrency) = concurrency {
            self.attempts.set_concurrency(concurrency);
        }
        if let Some(changed_at) = destination_time {
            self.wakeup.set_destination_time(changed_at);
        }
        self.next_due = next_due.map(|due| Instant::now() + until(due, self.infra.now_ms()));
        self.backlog = rows.len() >= self.refill_mark();
        self.may_have_more |= !rows.is_empty();
        self.in_hand.extend(rows.iter().map(Row::id));
        for batch in self.attempts.prepare(rows) {
            match self.attempts.give_up(batch) {
                Ok(batch) => self.waiting.push_back(batch),
                Err(given_up) => self.finish(given_up),
            }
        }
    }

    fn start_attempts(&mut self, now: Instant, term: LeaseTerm) {
        if self.stuck_since.is_some_and(|since| since + SLOW <= now) {
            self.stuck_since = None;
            self.attempts.trip_busy(&self.waiting);
        }
        let postponed = self.attempts.postpone(&mut self.waiting, now);
        self.finished.extend(postponed);
        let started = self.attempts.start(&mut self.waiting, now, term);
        let bypasses = self.attempts.strategy().slow_peers == SlowPeers::Bypass;
        if bypasses && !started && self.room().is_none() {
            self.stuck_since.get_or_insert(now);
        } else {
            self.stuck_since = None;
        }
    }

    fn on_attempt(&mut self, ended: Ended<T::Row>) {
        match self.attempts.end(ended) {
            Ok(finished) => {
                if finished.fate == Fate::Gone {
                    self.drop_waiting();
                }
                self.finish(finished);
            }
            Err(batch) => {
                self.forget(&batch);
                self.drop_waiting();
            }
        }
    }

    fn finish(&mut self, finished: Finished<T::Row>) {
        self.table.count(&finished);
        self.finished.push(finished);
    }

    fn start_recording(&mut self) {
        if self.recording.is_none() && !self.finished.is_empty() {
            let finished = std::mem::take(&mut self.finished);
            let (infra, table) = (self.infra.clone(), Arc::clone(&self.table));
            self.recording = Some(Box::pin(record(infra, self.key.clone(), table, finished)));
        }
    }

    fn start_saving(&mut self) {
        if self.saving.is_none()
            && let Some(open) = self.attempts.take_unsaved_breakers()
        {
            let (claims, key) = (Arc::clone(&self.claims), self.key.clone());
            self.saving = Some(Box::pin(async move { claims.save(&key, open).await }));
        }
    }

    fn on_recorded(&mut self, recorded: &Recorded<T::Row>) {
        for finished in recorded.finished.iter() {
            self.forget(&finished.batch);
            self.attempts.recorded(finished);
            self.may_have_more |= finished.fate.is_pending();
        }
        // A replay of a row in hand is not read while it is in hand.
        self.may_have_more |= self.in_hand.is_empty();
        if !recorded.stored {
            self.may_have_more = true;
            self.held_until = Some(Instant::now() + REJECTED_PAUSE);
        }
    }

    /// Whether nothing goes on.
    fn is_idle(&self) -> bool {
        self.attempts.is_empty()
            && self.finished.is_empty()
            && self.recording.is_none()
            && self.saving.is_none()
            && self.reading.is_none()
    }

    /// Whether nothing goes on and the queue is empty.
    fn is_done(&self) -> bool {
        self.is_idle() && self.waiting.is_empty() && !self.may_have_more && self.next_due.is_none()
    }

    /// When the loop has to look again although nothing happens.
    fn timer(&self, now: Instant) -> Option<Instant> {
        let stuck = self.stuck_since.map(|since| since + SLOW);
        let times = [self.next_due, self.pause(now), stuck];
        times.into_iter().flatten().min()
    }
}

async fn next<T>(task: &mut Option<Task<T>>) -> T {
    let Some(running) = task else {
        return std::future::pending().await;
    };
    let result = running.await;
    *task = None;
    result
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
