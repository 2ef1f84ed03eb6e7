//! Permits for component processes. When a user has to wait for one, an idle process is stopped.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_model::{EmitterId, UserId};
use sluice_runtime::{FairPermit, FairPermits, OwnLimit, PermitLimits, PermitUse};
use tokio::time::Instant;

use super::{
    idle::{Evict, IdleOwners},
    start_delay::StartDelay,
};

/// The pause after which a user that still waits has another idle process stopped. The one before may have got work.
const EVICTION_PERIOD: Duration = Duration::from_millis(100);

/// The author of the code is told of a wait of this length.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Cheap to clone; all clones share the permits.
#[derive(Clone)]
pub(crate) struct Permits {
    fair: FairPermits,
    idle: Arc<Mutex<IdleOwners>>,
}

impl Permits {
    pub(crate) fn new(limits: PermitLimits) -> Permits {
        Permits {
            fair: FairPermits::new(limits),
            idle: Arc::default(),
        }
    }

    /// Waits for a permit. A long wait is returned with it.
    pub(crate) async fn acquire(&self, user: &UserId) -> (FairPermit, Option<StartDelay>) {
        let mut wait = match self.fair.request(&Some(user.clone())) {
            Ok(permit) => return (permit, None),
            Err(wait) => wait,
        };
        let since = Instant::now();
        let mut limit = None;
        let mut is_logged = false;
        loop {
            self.make_room(user);
            limit = limit.or_else(|| self.own_limit(user));
            if let Ok(permit) = tokio::time::timeout(EVICTION_PERIOD, &mut wait).await {
                let time = since.elapsed();
                let delay = (time >= LONG_WAIT).then_some(StartDelay { time, limit });
                return (permit, delay);
            }
            if since.elapsed() >= LONG_WAIT && !is_logged {
                let quota = StartDelay::flag(limit);
                tracing::warn!(%user, quota, "quota reached; a process waits to be started");
                is_logged = true;
            }
        }
    }

    /// Lists an owner as idle. It may be evicted at once when others wait for a permit.
    pub(crate) fn idle(&self, id: &EmitterId, user: &UserId, owner: Box<dyn Evict>) {
        self.idle.lock().insert(id, user, owner);
        for waiting in self.fair.waiting().into_iter().flatten() {
            if self.make_room(&waiting) {
                return;
            }
        }
    }

    pub(crate) fn busy(&self, id: &EmitterId) {
        self.idle.lock().remove(id);
    }

    /// Stops an idle process of the user that holds most permits. Returns false if there is none.
    pub(crate) fn evict_one(&self) -> bool {
        self.idle
            .lock()
            .evict_by(|user| self.fair.held(&Some(user.clone())))
    }

    /// Stops the process of this user that has been idle longest.
    pub(crate) fn evict_of(&self, user: &UserId) -> bool {
        self.idle.lock().evict_of(user)
    }

    /// From now on exactly these users get no permit while they hold one.
    pub(crate) fn block(&self, users: &[UserId]) {
        self.fair.block(users);
    }

    pub(crate) fn in_use(&self) -> PermitUse {
        self.fair.in_use()
    }

    fn own_limit(&self, user: &UserId) -> Option<OwnLimit> {
        self.fair.own_limit(&Some(user.clone()))
    }

    /// Stops an idle process for a waiting user. A user at its own limit gets the permits of its own idle processes only.
    fn make_room(&self, user: &UserId) -> bool {
        if self.own_limit(user).is_some() {
            self.evict_of(user)
        } else {
            self.evict_one()
        }
    }
}

#[cfg(test)]
mod tests;
