//! Traffic: sums of what happens in an account, once a second. They are counted in memory while someone reads them, and
//! never stored.

mod second;

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_infra::Infra;
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::activity::Counts;
use tokio::{sync::broadcast, task::JoinHandle, time::MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;

pub use self::second::{EmitterTraffic, RouteTraffic, TrafficSecond, WebhookTraffic};

use self::second::Second;
use super::{end::StreamEnd, permit::ReaderPermit};
use crate::route::Recipients;

const SECOND: Duration = Duration::from_secs(1);
/// Seconds buffered for a reader that has not taken them yet.
const BUFFER: usize = 4;

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub(super) struct Traffic {
    infra: Infra,
    watched: Arc<WatchedUsers>,
}

/// The users whose traffic is read.
#[derive(Default)]
struct WatchedUsers {
    /// Their number. It is all that a commit looks at while no one reads.
    count: AtomicUsize,
    users: Mutex<HashMap<UserId, WatchedUser>>,
}

struct WatchedUser {
    readers: broadcast::Sender<Arc<LiveTraffic>>,
    second: Second,
    /// Stopped with the last reader.
    _ticker: AbortOnDropHandle<()>,
}

/// One second that all readers share.
pub struct LiveTraffic {
    second: TrafficSecond,
    frame: OnceLock<Bytes>,
}

impl LiveTraffic {
    /// The second as readers get it, formatted once.
    pub fn frame(&self, format: impl FnOnce(&TrafficSecond) -> Bytes) -> Bytes {
        self.frame.get_or_init(|| format(&self.second)).clone()
    }
}

/// A reader of a user's traffic.
pub struct TrafficReader {
    // Dropped before the guard, which removes the counts of a user without readers.
    seconds: broadcast::Receiver<Arc<LiveTraffic>>,
    guard: Guard,
}

struct Guard {
    traffic: Traffic,
    user: UserId,
    _permit: ReaderPermit,
}

impl TrafficReader {
    /// The next second in which something happened. A slow reader misses seconds.
    pub async fn next(&mut self) -> Result<Arc<LiveTraffic>, StreamEnd> {
        let shutdown = self.guard.traffic.infra.shutdown.clone();
        loop {
            let second = tokio::select! {
                biased;
                () = shutdown.draining() => return Err(StreamEnd::Draining),
                second = self.seconds.recv() => second,
            };
            match second {
                Ok(second) => return Ok(second),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return Err(StreamEnd::Gone),
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.traffic.watched.unwatch(&self.user);
    }
}

impl Traffic {
    pub(super) fn new(infra: Infra) -> Traffic {
        Traffic {
            infra,
            watched: Arc::default(),
        }
    }

    /// Follows the traffic of a user from now on.
    pub(super) fn follow(&self, user: &UserId, permit: ReaderPermit) -> TrafficReader {
        let ticker = || tokio::spawn(publish_each_second(self.clone(), user.clone()));
        TrafficReader {
            seconds: self.watched.watch(user, ticker),
            guard: Guard {
                traffic: self.clone(),
                user: user.clone(),
                _permit: permit,
            },
        }
    }

    /// Counts a durable commit.
    pub(super) fn committed(
        &self,
        user: &UserId,
        emitter: &EmitterId,
        counts: Counts,
        recipients: &Recipients,
    ) {
        self.watched
            .count(user, |second| second.committed(emitter, counts, recipients));
    }

    /// Counts delivery attempts.
    pub(super) fn attempted(&self, user: &UserId, webhook: &WebhookId, attempts: WebhookTraffic) {
        self.watched
            .count(user, |second| second.attempted(webhook, attempts));
    }

    /// Ends the streams of a user who was removed.
    pub(super) fn close(&self, user: &UserId) {
        self.watched.close(user);
    }
}

impl WatchedUsers {
    fn close(&self, user: &UserId) {
        let mut users = self.users.lock();
        users.remove(user);
        self.count.store(users.len(), Ordering::Relaxed);
    }

    fn count(&self, user: &UserId, count: impl FnOnce(&mut Second)) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(watched) = self.users.lock().get_mut(user) {
            count(&mut watched.second);
        }
    }

    /// The first reader starts the ticker that all readers of the user share.
    fn watch(
        &self,
        user: &UserId,
        start_ticker: impl FnOnce() -> JoinHandle<()>,
    ) -> broadcast::Receiver<Arc<LiveTraffic>> {
        let mut users = self.users.lock();
        let watched = users.entry(user.clone()).or_insert_with(|| WatchedUser {
            readers: broadcast::Sender::new(BUFFER),
            second: Second::default(),
            _ticker: AbortOnDropHandle::new(start_ticker()),
        });
        let seconds = watched.readers.subscribe();
        self.count.store(users.len(), Ordering::Relaxed);
        seconds
    }

    fn unwatch(&self, user: &UserId) {
        let mut users = self.users.lock();
        let unread = |watched: &WatchedUser| watched.readers.receiver_count() == 0;
        if users.get(user).is_some_and(unread) {
            users.remove(user);
            self.count.store(users.len(), Ordering::Relaxed);
        }
    }

    /// Publishes the counts of a user since the last time, if there are any.
    fn publish(&self, user: &UserId, now_ms: i64) {
        let (second, readers) = {
            let mut users = self.users.lock();
            let Some(watched) = users.get_mut(user) else {
                return;
            };
            if watched.second.is_empty() {
                return;
            }
            let second = std::mem::take(&mut watched.second);
            (second, watched.readers.clone())
        };
        // Fails when the last reader has just left.
        let _ = readers.send(Arc::new(LiveTraffic {
            second: second.summary(now_ms),
            frame: OnceLock::new(),
        }));
    }
}

async fn publish_each_second(traffic: Traffic, user: UserId) {
    let Traffic { infra, watched } = traffic;
    let mut ticker = tokio::time::interval(SECOND);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = infra.shutdown.draining() => return,
            _ = ticker.tick() => watched.publish(&user, infra.now_ms()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_exist_while_a_reader_is_connected() {
        let traffic = WatchedUsers::default();
        let (user, emitter) = (
            UserId::parse("u_a").unwrap(),
            EmitterId::parse("dc_a").unwrap(),
        );
        let event = Counts {
            events: 1,
            ..Counts::default()
        };
        let count = || {
            traffic.count(&user, |second| {
                second.committed(&emitter, event, &Recipients::default());
            });
        };
        count();
        assert!(traffic.users.lock().is_empty());

        let clock = tokio::spawn(std::future::pending());
        let running = clock.abort_handle();
        let mut first = traffic.watch(&user, || clock);
        let second = traffic.watch(&user, || panic!("one ticker is enough"));
        traffic.publish(&user, 1);
        count();
        count();
        traffic.publish(&user, 2);
        let second_read = first.try_recv().unwrap();
        assert_eq!(
            (
                second_read.second.ts,
                second_read.second.emitters[0].1.events
            ),
            (2, 2)
        );
        assert!(first.try_recv().is_err(), "nothing happened before that");

        drop(first);
        traffic.unwatch(&user);
        assert_eq!(traffic.count.load(Ordering::Relaxed), 1);
        drop(second);
        traffic.unwatch(&user);
        assert_eq!(traffic.count.load(Ordering::Relaxed), 0);
        assert!(traffic.users.lock().is_empty());
        while !running.is_finished() {
            tokio::task::yield_now().await;
        }
    }
}
