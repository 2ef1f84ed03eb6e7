//! What is happening in an account, second by second. It is counted in memory while somebody looks, and never kept.

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
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::activity::Counts;
use tokio::{sync::broadcast, task::JoinHandle, time::MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;

pub use self::second::{EmitterTraffic, RouteTraffic, TrafficSecond, WebhookTraffic};

use self::second::Second;
use super::{end::StreamEnd, seat::Ticket};
use crate::{Engine, context::Context, error::EngineError, routing::Reached};

const SECOND: Duration = Duration::from_secs(1);
/// Seconds that wait for a reader that has not taken them yet.
const RING: usize = 4;

/// The users that somebody watches.
#[derive(Default)]
pub(crate) struct Traffic {
    /// How many there are, which is all that a commit looks at while nobody watches.
    watched: AtomicUsize,
    users: Mutex<HashMap<UserId, Watched>>,
}

struct Watched {
    readers: broadcast::Sender<Arc<LiveTraffic>>,
    second: Second,
    /// It stops with the last reader.
    _clock: AbortOnDropHandle<()>,
}

/// A second on its way to all readers.
pub struct LiveTraffic {
    second: TrafficSecond,
    frame: OnceLock<Bytes>,
}

impl LiveTraffic {
    /// The second in the form in which all readers get it, made by whoever comes first.
    pub fn frame(&self, make: impl FnOnce(&TrafficSecond) -> Bytes) -> Bytes {
        self.frame.get_or_init(|| make(&self.second)).clone()
    }
}

/// A reader of a user's traffic.
pub struct TrafficReader {
    // Dropped before the place, which takes the counts away when nobody reads them any more.
    seconds: broadcast::Receiver<Arc<LiveTraffic>>,
    place: Place,
}

struct Place {
    user: UserId,
    ticket: Ticket,
}

impl Engine {
    /// Follows what happens in an account from now on.
    pub fn follow_traffic(&self, user: &UserId) -> Result<TrafficReader, EngineError> {
        let ticket = Ticket::take(&self.context)?;
        let seconds = self.context.streams.traffic.watch(user, || {
            tokio::spawn(tell_each_second(Arc::clone(&self.context), user.clone()))
        });
        let place = Place {
            user: user.clone(),
            ticket,
        };
        Ok(TrafficReader { seconds, place })
    }
}

impl TrafficReader {
    /// The next second in which something happened. What a slow reader misses is gone.
    pub async fn next(&mut self) -> Result<Arc<LiveTraffic>, StreamEnd> {
        let shutdown = self.place.ticket.context.infra.shutdown.clone();
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

impl Drop for Place {
    fn drop(&mut self) {
        self.ticket.context.streams.traffic.unwatch(&self.user);
    }
}

impl Traffic {
    /// A commit of an emitter is durable.
    pub(crate) fn committed(
        &self,
        user: &UserId,
        emitter: &EmitterId,
        counts: Counts,
        reached: &Reached,
    ) {
        self.count(user, |second| second.committed(emitter, counts, reached));
    }

    /// Tries to deliver to a webhook are recorded.
    pub(crate) fn attempted(&self, user: &UserId, webhook: &WebhookId, tries: WebhookTraffic) {
        self.count(user, |second| second.attempted(webhook, tries));
    }

    /// The user is gone: the streams end.
    pub(crate) fn close(&self, user: &UserId) {
        let mut users = self.users.lock();
        users.remove(user);
        self.watched.store(users.len(), Ordering::Relaxed);
    }

    fn count(&self, user: &UserId, count: impl FnOnce(&mut Second)) {
        if self.watched.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(watched) = self.users.lock().get_mut(user) {
            count(&mut watched.second);
        }
    }

    /// The first reader starts the clock that all readers of the user share.
    fn watch(
        &self,
        user: &UserId,
        start_clock: impl FnOnce() -> JoinHandle<()>,
    ) -> broadcast::Receiver<Arc<LiveTraffic>> {
        let mut users = self.users.lock();
        let watched = users.entry(user.clone()).or_insert_with(|| Watched {
            readers: broadcast::Sender::new(RING),
            second: Second::default(),
            _clock: AbortOnDropHandle::new(start_clock()),
        });
        let seconds = watched.readers.subscribe();
        self.watched.store(users.len(), Ordering::Relaxed);
        seconds
    }

    fn unwatch(&self, user: &UserId) {
        let mut users = self.users.lock();
        let unread = |watched: &Watched| watched.readers.receiver_count() == 0;
        if users.get(user).is_some_and(unread) {
            users.remove(user);
            self.watched.store(users.len(), Ordering::Relaxed);
        }
    }

    /// Tells the readers of a user what has happened, if anything has.
    fn tell(&self, user: &UserId, now_ms: i64) {
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
        // It fails when the last reader has just left.
        let _ = readers.send(Arc::new(LiveTraffic {
            second: second.told(now_ms),
            frame: OnceLock::new(),
        }));
    }
}

async fn tell_each_second(context: Arc<Context>, user: UserId) {
    let mut clock = tokio::time::interval(SECOND);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = context.infra.shutdown.draining() => return,
            _ = clock.tick() => context.streams.traffic.tell(&user, context.infra.clock.now_ms()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_are_there_while_somebody_reads_them() {
        let traffic = Traffic::default();
        let (user, emitter) = (
            UserId::parse("u_a").unwrap(),
            EmitterId::parse("dc_a").unwrap(),
        );
        let event = Counts {
            events: 1,
            ..Counts::default()
        };
        let count = || traffic.committed(&user, &emitter, event, &Reached::default());
        count();
        assert!(traffic.users.lock().is_empty());

        let clock = tokio::spawn(std::future::pending());
        let running = clock.abort_handle();
        let mut first = traffic.watch(&user, || clock);
        let second = traffic.watch(&user, || panic!("one clock is enough"));
        traffic.tell(&user, 1);
        count();
        count();
        traffic.tell(&user, 2);
        let told = first.try_recv().unwrap();
        assert_eq!((told.second.ts, told.second.emitters[0].1.events), (2, 2));
        assert!(first.try_recv().is_err(), "nothing happened before that");

        drop(first);
        traffic.unwatch(&user);
        assert_eq!(traffic.watched.load(Ordering::Relaxed), 1);
        drop(second);
        traffic.unwatch(&user);
        assert_eq!(traffic.watched.load(Ordering::Relaxed), 0);
        assert!(traffic.users.lock().is_empty());
        while !running.is_finished() {
            tokio::task::yield_now().await;
        }
    }
}
