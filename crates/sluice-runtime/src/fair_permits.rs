//! Permits that users share fairly. [`crate::fair_queue`] has the rules.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sluice_model::UserId;
use tokio::sync::oneshot;

use crate::fair_queue::{FairQueue, OwnLimit, PermitLimits, PermitUse, PermitUser};

/// The pause between two tries to get a spare permit.
const SPARE_RETRY: Duration = Duration::from_millis(50);

/// Cheap to clone; all clones share the permits.
#[derive(Clone)]
pub struct FairPermits(Arc<Mutex<FairQueue<oneshot::Sender<FairPermit>>>>);

/// Released on drop.
pub struct FairPermit {
    permits: FairPermits,
    user: PermitUser,
}

/// A place in the queue, which is left on drop.
pub struct PermitWait {
    permits: FairPermits,
    user: PermitUser,
    number: u64,
    granted: oneshot::Receiver<FairPermit>,
}

impl FairPermits {
    pub fn new(limits: PermitLimits) -> FairPermits {
        FairPermits(Arc::new(Mutex::new(FairQueue::new(limits))))
    }

    pub async fn acquire(&self, user: &PermitUser) -> FairPermit {
        match self.request(user) {
            Ok(permit) => permit,
            Err(wait) => wait.await,
        }
    }

    /// A permit, or a place in the queue.
    pub fn request(&self, user: &PermitUser) -> Result<FairPermit, PermitWait> {
        let mut queue = self.0.lock();
        if queue.try_take(user) {
            return Ok(self.permit(user));
        }
        let (sender, granted) = oneshot::channel();
        let number = queue.wait(user, sender, Instant::now());
        Err(PermitWait {
            permits: self.clone(),
            user: user.clone(),
            number,
            granted,
        })
    }

    /// A permit of the server that no user is likely to need now. Under load it waits, however long.
    pub(crate) async fn acquire_spare(&self) -> FairPermit {
        loop {
            if let Some(permit) = self.try_acquire_spare() {
                return permit;
            }
            tokio::time::sleep(SPARE_RETRY).await;
        }
    }

    fn try_acquire_spare(&self) -> Option<FairPermit> {
        let is_taken = self.0.lock().try_take_spare(&None);
        is_taken.then(|| self.permit(&None))
    }

    /// From now on exactly these users get no permit while they hold one.
    pub fn block(&self, users: &[UserId]) {
        self.0.lock().block(users);
        self.grant();
    }

    pub fn held(&self, user: &PermitUser) -> usize {
        self.0.lock().held(user)
    }

    /// The number of free permits, if the user may take one of them.
    pub fn free_for(&self, user: &PermitUser) -> usize {
        self.0.lock().free_for(user)
    }

    /// The limit of its own that keeps a user from another permit.
    pub fn own_limit(&self, user: &PermitUser) -> Option<OwnLimit> {
        self.0.lock().own_limit(user)
    }

    pub fn in_use(&self) -> PermitUse {
        self.0.lock().in_use()
    }

    fn permit(&self, user: &PermitUser) -> FairPermit {
        FairPermit {
            permits: self.clone(),
            user: user.clone(),
        }
    }

    fn grant(&self) {
        let granted = self.0.lock().grant(Instant::now());
        for (user, waiter) in granted {
            // A permit that cannot be sent is dropped and so released.
            let _ = waiter.send(self.permit(&user));
        }
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        self.permits.0.lock().release(&self.user);
        self.permits.grant();
    }
}

impl Future for PermitWait {
    type Output = FairPermit;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<FairPermit> {
        match ready!(Pin::new(&mut self.granted).poll(cx)) {
            Ok(permit) => Poll::Ready(permit),
            // The queue keeps the sender until it grants the permit.
            Err(_) => Poll::Pending,
        }
    }
}

impl Drop for PermitWait {
    fn drop(&mut self) {
        self.permits.0.lock().cancel(&self.user, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> PermitUser {
        UserId::parse(&format!("u_{name}"))
    }

    #[tokio::test]
    async fn a_permit_is_released_on_drop_and_goes_to_the_next() {
        let permits = FairPermits::new(PermitLimits {
            total: 1,
            per_user: 1,
        });
        let held = permits.acquire(&user("a")).await;
        let Err(wait) = permits.request(&user("b")) else {
            panic!("there is one permit");
        };
        drop(held);
        let _held = wait.await;
        assert_eq!(permits.held(&user("b")), 1);
    }

    #[tokio::test]
    async fn a_waiter_that_gives_up_takes_no_permit_with_it() {
        let permits = FairPermits::new(PermitLimits {
            total: 1,
            per_user: 1,
        });
        let held = permits.acquire(&user("a")).await;
        let (before, granted) = (permits.request(&user("b")), permits.request(&user("c")));
        drop(before);
        drop(held);
        // It was granted, and nobody took it.
        drop(granted);
        assert_eq!(permits.in_use(), PermitUse::default());
    }
}
