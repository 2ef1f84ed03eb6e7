//! Direct requests: dispatched before they are stored, and answered when their outcome is committed. Such a request takes one
//! transaction in place of two.
//!
//! A request whose outcome does not come soon is stored in the inbox like any other, and answered then. No client is told of
//! success before its request or its outcome is durable.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    time::Duration,
};

use sluice_model::InvocationId;
use sluice_runtime::Invocation;
use sluice_store::StoreError;
use tokio::{sync::oneshot, time::Instant};

use super::reply::ReplySender;
use crate::work::Work;

/// The time within which a direct request has to end.
const PATIENCE: Duration = Duration::from_millis(10);

/// Tells the acceptor how its request was kept.
pub(crate) type Receipt = oneshot::Sender<Result<(), NotKept>>;

pub(crate) type Kept = oneshot::Receiver<Result<(), NotKept>>;

/// Why a direct request was not kept.
pub(crate) enum NotKept {
    Failed(StoreError),
    /// The owner stopped, and nothing of the request was or will be committed. The acceptor stores it.
    Returned(Option<ReplySender>),
}

/// The direct requests of one mailbox.
#[derive(Default)]
pub(crate) struct DirectRequests {
    requests: HashMap<InvocationId, Request>,
    /// By arrival. Requests that do not wait any more are skipped.
    arrivals: VecDeque<(Instant, InvocationId)>,
}

struct Request {
    work: Work,
    receipt: Receipt,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Queued or running.
    Waiting,
    /// Being written to the inbox.
    Storing,
    /// It waits for a commit.
    Ended,
    /// The running commit holds its outcome.
    Committing,
}

impl DirectRequests {
    pub(crate) fn add(&mut self, work: Work, receipt: Receipt) {
        self.arrivals.push_back((Instant::now(), work.id));
        let request = Request {
            receipt,
            stage: Stage::Waiting,
            work,
        };
        self.requests.insert(request.work.id, request);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The time at which the first waiting request is to be stored.
    pub(crate) fn deadline(&mut self) -> Option<Instant> {
        while let Some((since, id)) = self.arrivals.front() {
            if self.is_waiting(id) {
                return Some(*since + PATIENCE);
            }
            self.arrivals.pop_front();
        }
        None
    }

    /// Takes the requests that are to be stored now.
    pub(crate) fn take_overdue(&mut self, now: Instant) -> Vec<Work> {
        let mut overdue = Vec::new();
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let Some((_, id)) = self.arrivals.pop_front() else {
                break;
            };
            if let Some(request) = self.requests.get_mut(&id) {
                request.stage = Stage::Storing;
                overdue.push(request.work.clone());
            }
        }
        overdue
    }

    /// Makes a request overdue: its process died.
    pub(crate) fn expire(&mut self, id: &InvocationId) {
        if self.is_waiting(id)
            && let Some(past) = Instant::now().checked_sub(PATIENCE)
        {
            self.arrivals.push_front((past, *id));
        }
    }

    /// The request ended. Returns whether it is not in the inbox.
    pub(crate) fn end(&mut self, id: &InvocationId) -> bool {
        match self.requests.get_mut(id) {
            Some(request) if request.stage == Stage::Waiting => {
                request.stage = Stage::Ended;
                true
            }
            _ => false,
        }
    }

    /// The request runs again: its outcome was given up.
    pub(crate) fn restart(&mut self, id: &InvocationId) {
        if let Some(request) = self.requests.get_mut(id)
            && request.stage == Stage::Ended
        {
            request.stage = Stage::Waiting;
            self.arrivals.push_back((Instant::now(), *id));
        }
    }

    pub(crate) fn answer(&mut self, id: &InvocationId, result: Result<(), StoreError>) {
        if let Some(request) = self.requests.remove(id) {
            let _ = request.receipt.send(result.map_err(NotKept::Failed));
        }
    }

    pub(crate) fn contains(&self, id: &InvocationId) -> bool {
        self.requests.contains_key(id)
    }

    /// A commit takes the outcomes of these requests.
    pub(crate) fn commit(&mut self, ids: &[InvocationId]) {
        for id in ids {
            if let Some(request) = self.requests.get_mut(id) {
                request.stage = Stage::Committing;
            }
        }
    }

    /// Removes the requests in the running commit.
    pub(crate) fn take_committing(&mut self) -> HashMap<InvocationId, Receipt> {
        self.take(|stage| stage == Stage::Committing)
    }

    /// Removes the requests of which no commit holds an outcome, and which are not being stored.
    pub(crate) fn take_uncommitted(&mut self) -> HashMap<InvocationId, Receipt> {
        self.take(|stage| matches!(stage, Stage::Waiting | Stage::Ended))
    }

    fn take(&mut self, is_taken: impl Fn(Stage) -> bool) -> HashMap<InvocationId, Receipt> {
        self.requests
            .extract_if(|_, request| is_taken(request.stage))
            .map(|(id, request)| (id, request.receipt))
            .collect()
    }

    /// Removes the rest. It is unknown whether they were kept: their clients get an error.
    pub(crate) fn clear(&mut self) {
        *self = DirectRequests::default();
    }

    fn is_waiting(&self, id: &InvocationId) -> bool {
        self.requests
            .get(id)
            .is_some_and(|request| request.stage == Stage::Waiting)
    }
}

/// The last invocations that were sent to the process. While they run, but not for long, others gather: one message with many
/// invocations takes less CPU time than many messages.
#[derive(Default)]
pub(crate) struct LastDispatch {
    running: HashSet<InvocationId>,
    until: Option<Instant>,
}

/// How long invocations wait for those before them.
const GATHERING: Duration = Duration::from_millis(1);

impl LastDispatch {
    pub(crate) fn set(&mut self, invocations: &[Invocation]) {
        self.running.clear();
        self.running.extend(invocations.iter().map(|one| one.id));
        self.until = Some(Instant::now() + GATHERING);
    }

    pub(crate) fn ended(&mut self, id: &InvocationId) {
        self.running.remove(id);
    }

    pub(crate) fn is_pending(&self, now: Instant) -> bool {
        self.deadline(now).is_some()
    }

    /// When the next invocations are sent at the latest.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        self.until
            .filter(|until| *until > now && !self.running.is_empty())
    }
}

/// Decides whether a source takes direct requests: not while most of them take too long, because then each costs
/// [`PATIENCE`] in vain.
pub(crate) struct DirectPath {
    /// The share of requests that took too long, lately.
    missed: f64,
    closed_until: Option<Instant>,
    pause: Duration,
}

/// The weight of one request.
const WEIGHT: f64 = 0.125;
const MOST_MISSED: f64 = 0.5;
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

impl Default for DirectPath {
    fn default() -> DirectPath {
        DirectPath {
            missed: 0.0,
            closed_until: None,
            pause: SHORTEST_PAUSE,
        }
    }
}

impl DirectPath {
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.closed_until.is_none_or(|until| until <= now)
    }

    /// Direct requests were committed.
    pub(crate) fn succeeded(&mut self, count: usize) {
        if count > 0 {
            let kept = (1.0 - WEIGHT).powi(i32::try_from(count).unwrap_or(i32::MAX));
            self.missed *= kept;
            if self.missed < WEIGHT {
                self.pause = SHORTEST_PAUSE;
            }
        }
    }

    /// Direct requests took too long.
    pub(crate) fn missed(&mut self, count: usize, now: Instant) {
        for _ in 0..count {
            self.missed += (1.0 - self.missed) * WEIGHT;
        }
        if self.missed > MOST_MISSED && self.is_open(now) {
            self.closed_until = Some(now + self.pause);
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
            // The next requests after the pause decide anew.
            self.missed = MOST_MISSED - WEIGHT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_path_closes_for_longer_while_requests_take_too_long() {
        let mut path = DirectPath::default();
        path.missed(1, Instant::now());
        path.succeeded(4);
        assert!(path.is_open(Instant::now()), "one miss is not enough");
        path.missed(9, Instant::now());
        assert!(!path.is_open(Instant::now()));
        tokio::time::advance(SHORTEST_PAUSE).await;
        assert!(path.is_open(Instant::now()));
        path.missed(3, Instant::now());
        tokio::time::advance(SHORTEST_PAUSE).await;
        assert!(!path.is_open(Instant::now()), "the second pause is longer");
        tokio::time::advance(SHORTEST_PAUSE).await;
        path.succeeded(100);
        path.missed(9, Instant::now());
        tokio::time::advance(SHORTEST_PAUSE).await;
        assert!(path.is_open(Instant::now()), "success makes it short again");
    }
}
