//! Permits for component processes, in the order in which a start takes them: first the start permit, then the permit of the
//! process. So only the few processes that can start now have idle ones stopped, and a rush evicts no more than it starts.
//!
//! A start that finds no permit and no idle process gives its start permit back and is parked until it may get one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use sluice_model::{EmitterId, UserId};
use sluice_runtime::{
    BoxFuture, FairPermit, FairPermits, OwnLimit, PermitLimits, PermitUse, PermitWait, SharedPlace,
};
use tokio::{sync::oneshot, time::Instant};

use super::{
    idle::{Evict, IdleOwners},
    parked::{Available, Parked},
    start_delay::StartDelay,
};

/// The pause after which another idle process is stopped. The one before may have got work.
const EVICTION_PERIOD: Duration = Duration::from_millis(100);
/// So often at most, because the start permit is held meanwhile.
const EVICTIONS: usize = 5;

/// A permit that was granted later than this counts as delayed.
const DELAYED: Duration = Duration::from_millis(200);
/// The author of the code is told of a wait of this length.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Cheap to clone; all clones share the permits.
#[derive(Clone)]
pub(crate) struct Permits {
    fair: FairPermits,
    idle: Arc<Mutex<IdleOwners>>,
    parked: Arc<Mutex<Parked>>,
    delayed: Arc<AtomicU64>,
}

/// Held while a process runs.
pub(crate) struct ProcessPermit {
    permit: Option<FairPermit>,
    permits: Permits,
}

/// Both permits of a start.
pub(crate) struct Admission<S> {
    pub(super) start: S,
    /// `None` for a start that joins a running process.
    pub(super) permit: Option<ProcessPermit>,
    /// The wait for the permit of the process.
    pub(super) waited: Duration,
    /// Set if the wait was long.
    pub(super) delay: Option<StartDelay>,
}

/// A parked start, and once it is woken its claim to a permit. Given up on drop.
struct ParkedStart<'a> {
    permits: &'a Permits,
    user: &'a UserId,
    number: u64,
    woken: oneshot::Receiver<()>,
}

/// A wait for the permit of a process, from the first request on.
struct Wait {
    since: Instant,
    limit: Option<OwnLimit>,
    is_logged: bool,
}

impl Permits {
    pub(crate) fn new(limits: PermitLimits) -> Permits {
        Permits {
            fair: FairPermits::new(limits),
            idle: Arc::default(),
            parked: Arc::default(),
            delayed: Arc::default(),
        }
    }

    /// Waits for both permits of a start. `start` waits for the start permit. A start that joins a running process needs no
    /// permit of its own.
    pub(crate) async fn acquire<'a, S, E>(
        &self,
        user: &UserId,
        start: impl Fn() -> BoxFuture<'a, Result<S, E>>,
        joins: impl Fn(&S) -> bool,
    ) -> Result<Admission<S>, E> {
        let mut held = start().await?;
        let mut wait: Option<Wait> = None;
        let mut claim: Option<ParkedStart<'_>> = None;
        loop {
            if joins(&held) {
                return Ok(self.admission(held, None, wait));
            }
            if let Some(permit) = self.take(user, &mut wait).await {
                return Ok(self.admission(held, Some(permit), wait));
            }
            let was_parked = claim.as_ref().map(|claim| claim.number);
            drop((held, claim.take()));
            let mut parked = self.park(user, was_parked);
            parked
                .until_woken(wait.get_or_insert_with(Wait::start))
                .await;
            claim = Some(parked);
            held = start().await?;
        }
    }

    /// Lists an owner as idle until `due`, its next tick. It may be evicted at once when others wait for a permit.
    pub(crate) fn idle(
        &self,
        id: &EmitterId,
        user: &UserId,
        due: Option<i64>,
        place: Option<SharedPlace>,
        owner: Box<dyn Evict>,
    ) {
        self.idle.lock().insert(id, user, due, place, owner);
        self.wake();
    }

    pub(crate) fn busy(&self, id: &EmitterId) {
        self.idle.lock().remove(id);
    }

    /// Of the user that holds most permits, stops the idle process that is due last. Returns the number of its owners.
    pub(crate) fn evict_one(&self) -> usize {
        self.idle
            .lock()
            .evict_by(|user| self.fair.held(&Some(user.clone())))
    }

    /// Stops the idle process of this user that is due last.
    pub(crate) fn evict_of(&self, user: &UserId) -> usize {
        self.idle.lock().evict_of(user)
    }

    /// From now on exactly these users get no permit while they hold one.
    pub(crate) fn block(&self, users: &[UserId]) {
        self.fair.block(users);
        self.wake();
    }

    pub(crate) fn in_use(&self) -> PermitUse {
        let in_use = self.fair.in_use();
        PermitUse {
            waiting: in_use.waiting + self.parked.lock().len(),
            delayed: self.delayed.load(Ordering::Relaxed),
            ..in_use
        }
    }

    /// Takes a permit, for which idle processes are stopped. Returns `None` if that does not help.
    async fn take(&self, user: &UserId, wait: &mut Option<Wait>) -> Option<FairPermit> {
        let mut place: PermitWait = match self.fair.request(&Some(user.clone())) {
            Ok(permit) => return Some(permit),
            Err(place) => place,
        };
        let wait = wait.get_or_insert_with(Wait::start);
        wait.limit = wait.limit.or_else(|| self.own_limit(user));
        let mut has_evicted = false;
        for _ in 0..EVICTIONS {
            has_evicted |= self.make_room(user);
            if !has_evicted {
                return None;
            }
            if let Ok(permit) = tokio::time::timeout(EVICTION_PERIOD, &mut place).await {
                return Some(permit);
            }
        }
        None
    }

    fn admission<S>(
        &self,
        start: S,
        permit: Option<FairPermit>,
        wait: Option<Wait>,
    ) -> Admission<S> {
        let waited = wait.as_ref().map_or(Duration::ZERO, Wait::elapsed);
        if waited > DELAYED {
            self.delayed.fetch_add(1, Ordering::Relaxed);
        }
        let limit = wait.and_then(|wait| wait.limit);
        let time = waited;
        Admission {
            start,
            permit: permit.map(|permit| ProcessPermit {
                permit: Some(permit),
                permits: self.clone(),
            }),
            waited,
            delay: (waited >= LONG_WAIT).then_some(StartDelay { time, limit }),
        }
    }

    fn own_limit(&self, user: &UserId) -> Option<OwnLimit> {
        self.fair.own_limit(&Some(user.clone()))
    }

    /// Stops an idle process for a waiting user. A user at its own limit gets the permits of its own idle processes only.
    fn make_room(&self, user: &UserId) -> bool {
        let evicted = if self.own_limit(user).is_some() {
            self.evict_of(user)
        } else {
            self.evict_one()
        };
        evicted > 0
    }

    /// A start that was parked before keeps its place.
    fn park<'a>(&'a self, user: &'a UserId, before: Option<u64>) -> ParkedStart<'a> {
        let (number, woken) = self.parked.lock().add(user, before);
        // A process may have become idle meanwhile.
        self.wake();
        ParkedStart {
            permits: self,
            user,
            number,
            woken,
        }
    }

    /// Wakes as many parked starts as can get a permit.
    fn wake(&self) {
        self.parked.lock().wake(|user| {
            if self.own_limit(user).is_some() {
                Available::Own(self.idle.lock().processes_of(user))
            } else {
                let free = self.fair.free_for(&Some(user.clone()));
                Available::Shared(free + self.idle.lock().processes())
            }
        });
    }
}

impl ParkedStart<'_> {
    async fn until_woken(&mut self, wait: &mut Wait) {
        wait.limit = wait.limit.or_else(|| self.permits.own_limit(self.user));
        let long = wait.since + LONG_WAIT;
        if let Ok(woken) = tokio::time::timeout_at(long, &mut self.woken).await {
            return woken.unwrap_or_default();
        }
        if !wait.is_logged {
            let (user, quota) = (self.user, StartDelay::flag(wait.limit));
            tracing::warn!(%user, quota, "quota reached; a process waits to be started");
            wait.is_logged = true;
        }
        // The sender is kept until it is used.
        let _ = (&mut self.woken).await;
    }
}

impl Drop for ParkedStart<'_> {
    fn drop(&mut self) {
        let mut parked = self.permits.parked.lock();
        if !parked.remove(self.user, self.number) {
            parked.settle(self.user);
        }
        drop(parked);
        self.permits.wake();
    }
}

impl Drop for ProcessPermit {
    fn drop(&mut self) {
        self.permit = None;
        self.permits.wake();
    }
}

impl Wait {
    fn start() -> Wait {
        Wait {
            since: Instant::now(),
            limit: None,
            is_logged: false,
        }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

#[cfg(test)]
mod tests;
