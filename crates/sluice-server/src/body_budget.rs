//! The memory for bodies of requests in progress, of all clients together and of one endpoint.
//!
//! A client that finds no room waits a moment, while nothing is read from it, and then gets 503.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;

/// The body of a request is copied into its event, as text and parsed, and to the store.
const COPIES: usize = 4;
/// One endpoint may use one part in so many.
const ENDPOINT_SHARE: usize = 4;
/// Smaller bodies do not count against the share of their endpoint.
const SMALL_BODY: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(3);
/// A permit is for so many bytes.
const UNIT: usize = 1024;
/// Endpoints without a request in progress are forgotten when there are so many.
const MANY_ENDPOINTS: usize = 1024;

pub struct BodyBudget {
    server: Arc<Semaphore>,
    endpoint_units: usize,
    endpoints: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl BodyBudget {
    /// A budget in which a body of `largest` bytes always fits.
    pub(crate) fn new(bytes: usize, largest: usize) -> BodyBudget {
        let needed = units(largest);
        let endpoint_units = (bytes / UNIT / ENDPOINT_SHARE)
            .max(needed)
            .min(Semaphore::MAX_PERMITS);
        let all = (bytes / UNIT).max(endpoint_units);
        BodyBudget {
            server: Arc::new(Semaphore::new(all.min(Semaphore::MAX_PERMITS))),
            endpoint_units,
            endpoints: Mutex::default(),
        }
    }

    /// The memory of a request to an endpoint.
    pub(crate) fn of_endpoint<'a>(&'a self, key: &'a str) -> BodyMemory<'a> {
        BodyMemory::new(self, Some(key))
    }

    /// The memory of any other request.
    pub(crate) fn of_request(&self) -> BodyMemory<'_> {
        BodyMemory::new(self, None)
    }

    fn endpoint(&self, key: &str) -> Arc<Semaphore> {
        let mut endpoints = self.endpoints.lock();
        if let Some(found) = endpoints.get(key).and_then(Weak::upgrade) {
            return found;
        }
        if endpoints.len() >= MANY_ENDPOINTS {
            endpoints.retain(|_, endpoint| endpoint.strong_count() > 0);
        }
        let endpoint = Arc::new(Semaphore::new(self.endpoint_units));
        endpoints.insert(key.to_owned(), Arc::downgrade(&endpoint));
        endpoint
    }
}

/// The memory of one body. It is free again when this is dropped.
pub(crate) struct BodyMemory<'a> {
    budget: &'a BodyBudget,
    endpoint: Option<&'a str>,
    bytes: usize,
    in_server: Option<OwnedSemaphorePermit>,
    in_endpoint: Option<OwnedSemaphorePermit>,
}

impl<'a> BodyMemory<'a> {
    fn new(budget: &'a BodyBudget, endpoint: Option<&'a str>) -> BodyMemory<'a> {
        BodyMemory {
            budget,
            endpoint,
            bytes: 0,
            in_server: None,
            in_endpoint: None,
        }
    }

    /// Waits until there is room for so many more bytes.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.bytes += bytes;
        let wanted = units(self.bytes);
        let room = async {
            if self.bytes > SMALL_BODY
                && let Some(key) = self.endpoint
            {
                let pool = || self.budget.endpoint(key);
                extend(&mut self.in_endpoint, pool, wanted).await;
            }
            let pool = || Arc::clone(&self.budget.server);
            extend(&mut self.in_server, pool, wanted).await;
        };
        let found = tokio::time::timeout(PATIENCE, room).await;
        found.map_err(|_| ApiError::Unavailable("too many bodies are being received".to_owned()))
    }
}

/// Extends a permit to `wanted` units.
async fn extend(
    held: &mut Option<OwnedSemaphorePermit>,
    pool: impl FnOnce() -> Arc<Semaphore>,
    wanted: usize,
) {
    let has = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    let Ok(missing) = u32::try_from(wanted.saturating_sub(has)) else {
        return std::future::pending().await;
    };
    if missing == 0 {
        return;
    }
    let pool = held
        .as_ref()
        .map_or_else(pool, |permit| Arc::clone(permit.semaphore()));
    // The budget is never closed.
    if let Ok(more) = pool.acquire_many_owned(missing).await {
        match held {
            Some(permit) => permit.merge(more),
            None => *held = Some(more),
        }
    }
}

fn units(bytes: usize) -> usize {
    bytes.saturating_mul(COPIES).div_ceil(UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    #[tokio::test(start_paused = true)]
    async fn without_room_a_body_waits_for_another_and_then_fails() {
        let budget = BodyBudget::new(4000 * KIB, 1000 * KIB);
        let mut first = budget.of_request();
        first.grow(600 * KIB).await.unwrap();
        let mut second = budget.of_request();
        second.grow(300 * KIB).await.unwrap();
        let refused = second.grow(200 * KIB).await;
        assert!(matches!(refused, Err(ApiError::Unavailable(_))));
        let mut third = budget.of_request();
        let free = async {
            tokio::time::sleep(PATIENCE / 2).await;
            drop(first);
        };
        let (grown, ()) = tokio::join!(third.grow(700 * KIB), free);
        grown.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn one_endpoint_leaves_room_for_others() {
        let budget = BodyBudget::new(4000 * KIB, 100 * KIB);
        let mut first = budget.of_endpoint("a");
        first.grow(200 * KIB).await.unwrap();
        let refused = budget.of_endpoint("a").grow(100 * KIB).await;
        assert!(matches!(refused, Err(ApiError::Unavailable(_))));
        budget.of_endpoint("a").grow(KIB).await.unwrap();
        budget.of_endpoint("b").grow(200 * KIB).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn the_largest_body_fits_into_any_budget() {
        let budget = BodyBudget::new(0, 1000 * KIB);
        budget.of_endpoint("a").grow(1000 * KIB).await.unwrap();
        assert!(budget.of_endpoint("a").grow(1001 * KIB).await.is_err());
        let unlimited = BodyBudget::new(usize::MAX, usize::MAX);
        unlimited.of_endpoint("a").grow(1000 * KIB).await.unwrap();
    }
}
