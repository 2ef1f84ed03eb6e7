//! What is happening in an account, second by second. It is counted in memory while somebody looks, and never kept.

use std::{
    cmp::Reverse,
    collections::HashMap,
    hash::Hash,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::{activity::Counts, routes::Listener};
use tokio::{sync::broadcast, task::JoinHandle, time::MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;

use super::{end::StreamEnd, seat::Ticket};
use crate::{Engine, context::Context, error::EngineError, routing::Reached};

const SECOND: Duration = Duration::from_secs(1);
/// What readers are told of each kind in a second; the largest numbers are.
const MOST_TOLD: usize = 1_000;
/// What is counted of each kind in a second.
const MOST_COUNTED: usize = 10_000;
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

/// What has happened since readers were last told.
#[derive(Default)]
struct Second {
    emitters: HashMap<EmitterId, EmitterTraffic>,
    routes: HashMap<(EmitterId, Listener), u64>,
    webhooks: HashMap<WebhookId, WebhookTraffic>,
    cut: bool,
}

/// What a source or a workflow did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmitterTraffic {
    pub events: u64,
    /// Invocations that failed; for workflows, runs.
    pub errors: u64,
    pub invocations: u64,
}

/// What became of tries to deliver to a webhook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WebhookTraffic {
    pub delivered: u64,
    pub failed: u64,
}

/// Events that went from an emitter to one that listens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteTraffic {
    pub from: EmitterId,
    pub to: Listener,
    pub count: u64,
}

/// What happened in about a second, the largest numbers first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficSecond {
    pub ts: i64,
    pub emitters: Vec<(EmitterId, EmitterTraffic)>,
    pub routes: Vec<RouteTraffic>,
    pub webhooks: Vec<(WebhookId, WebhookTraffic)>,
    /// Whether small numbers were left out.
    pub cut: bool,
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
        let draining = self.place.ticket.context.draining.clone();
        loop {
            let second = tokio::select! {
                biased;
                () = draining.cancelled() => return Err(StreamEnd::Draining),
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
            () = context.draining.cancelled() => return,
            _ = clock.tick() => context.streams.traffic.tell(&user, context.clock.now_ms()),
        }
    }
}

impl Second {
    fn is_empty(&self) -> bool {
        self.emitters.is_empty() && self.routes.is_empty() && self.webhooks.is_empty()
    }

    fn committed(&mut self, emitter: &EmitterId, counts: Counts, reached: &Reached) {
        let Counts {
            events,
            errors,
            invocations,
            compute_ms: _,
        } = counts;
        if events + errors + invocations > 0
            && let Some(sum) = entry(&mut self.emitters, emitter.clone(), &mut self.cut)
        {
            sum.events += events;
            sum.errors += errors;
            sum.invocations += invocations;
        }
        for (listener, count) in reached.counted() {
            let route = (emitter.clone(), listener.clone());
            if let Some(sum) = entry(&mut self.routes, route, &mut self.cut) {
                *sum += count;
            }
        }
    }

    fn attempted(&mut self, webhook: &WebhookId, tries: WebhookTraffic) {
        if let Some(sum) = entry(&mut self.webhooks, webhook.clone(), &mut self.cut) {
            sum.delivered += tries.delivered;
            sum.failed += tries.failed;
        }
    }

    fn told(self, ts: i64) -> TrafficSecond {
        let Second {
            emitters,
            routes,
            webhooks,
            mut cut,
        } = self;
        let emitters = largest(emitters, &mut cut, |one| {
            one.events + one.errors + one.invocations
        });
        let routes = largest(routes, &mut cut, |count| *count);
        let webhooks = largest(webhooks, &mut cut, |one| one.delivered + one.failed);
        let route = |((from, to), count)| RouteTraffic { from, to, count };
        TrafficSecond {
            ts,
            emitters,
            routes: routes.into_iter().map(route).collect(),
            webhooks,
            cut,
        }
    }
}

/// The sum of a key; none when there is no room for another key.
fn entry<'a, K: Eq + Hash, V: Default>(
    sums: &'a mut HashMap<K, V>,
    key: K,
    cut: &mut bool,
) -> Option<&'a mut V> {
    if sums.len() >= MOST_COUNTED && !sums.contains_key(&key) {
        *cut = true;
        return None;
    }
    Some(sums.entry(key).or_default())
}

fn largest<K: Ord, V>(
    sums: HashMap<K, V>,
    cut: &mut bool,
    size: impl Fn(&V) -> u64,
) -> Vec<(K, V)> {
    let mut sums: Vec<(K, V)> = sums.into_iter().collect();
    sums.sort_by(|(a, x), (b, y)| (Reverse(size(x)), a).cmp(&(Reverse(size(y)), b)));
    *cut |= sums.len() > MOST_TOLD;
    sums.truncate(MOST_TOLD);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitter(n: usize) -> EmitterId {
        EmitterId::parse(&format!("dc_n{n}")).unwrap()
    }

    fn events(events: u64) -> Counts {
        Counts {
            events,
            ..Counts::default()
        }
    }

    #[tokio::test]
    async fn counts_are_there_while_somebody_reads_them() {
        let traffic = Traffic::default();
        let user = UserId::parse("u_a").unwrap();
        let count = || traffic.committed(&user, &emitter(1), events(1), &Reached::default());
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

    #[test]
    fn what_happens_in_a_second_is_summed() {
        let mut second = Second::default();
        assert!(second.is_empty());
        let hook = WebhookId::parse("wh_a").unwrap();
        let (one, other) = (emitter(1), emitter(2));
        let mut reached = Reached::default();
        reached.add(&Listener::Webhook(hook.clone()));
        reached.add(&Listener::Webhook(hook.clone()));
        second.committed(&one, events(2), &reached);
        second.committed(&one, events(1), &Reached::default());
        second.committed(&other, Counts::default(), &Reached::default());
        let tries = WebhookTraffic {
            delivered: 1,
            failed: 2,
        };
        second.attempted(&hook, tries);
        second.attempted(&hook, tries);
        let told = second.told(5);
        let sum = EmitterTraffic {
            events: 3,
            ..EmitterTraffic::default()
        };
        let route = RouteTraffic {
            from: one.clone(),
            to: Listener::Webhook(hook.clone()),
            count: 2,
        };
        let tries = WebhookTraffic {
            delivered: 2,
            failed: 4,
        };
        let expected = TrafficSecond {
            ts: 5,
            emitters: vec![(one, sum)],
            routes: vec![route],
            webhooks: vec![(hook, tries)],
            cut: false,
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn the_largest_thousand_are_told_and_that_there_were_more() {
        let mut second = Second::default();
        for n in 0..=MOST_TOLD {
            let count = 1 + n as u64;
            second.committed(&emitter(n), events(count), &Reached::default());
        }
        let told = second.told(5);
        assert!(told.cut);
        assert_eq!(told.emitters.len(), MOST_TOLD);
        assert_eq!(told.emitters[0].0, emitter(MOST_TOLD));
        assert!(told.emitters.iter().all(|(id, _)| *id != emitter(0)));
    }

    #[test]
    fn no_more_is_counted_than_there_is_room_for() {
        let mut second = Second::default();
        for n in 0..MOST_COUNTED + 5 {
            second.committed(&emitter(n), events(1), &Reached::default());
        }
        second.committed(&emitter(0), events(1), &Reached::default());
        assert_eq!(second.emitters.len(), MOST_COUNTED);
        assert_eq!(second.emitters[&emitter(0)].events, 2);
        assert!(second.told(5).cut);
    }
}
