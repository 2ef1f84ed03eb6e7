//! The users whose traffic is counted: those with readers, here or on other nodes.

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use parking_lot::Mutex;
use sluice_model::UserId;
use tokio::{sync::broadcast, task::JoinHandle};
use tokio_util::task::AbortOnDropHandle;

use super::second::{Second, TrafficSecond};

/// Seconds buffered for a reader that has not taken them yet.
const BUFFER: usize = 4;

/// The users whose traffic is read.
#[derive(Default)]
pub(super) struct WatchedUsers {
    /// Their number. It is all that a commit looks at while no one reads.
    pub(super) count: AtomicUsize,
    pub(super) users: Mutex<HashMap<UserId, WatchedUser>>,
}

pub(super) struct WatchedUser {
    readers: broadcast::Sender<Arc<LiveTraffic>>,
    /// The traffic on all nodes.
    second: Second,
    /// The traffic on this node, while other nodes have readers.
    here: Option<Second>,
    /// Stopped with the last reader, here and on other nodes.
    _ticker: AbortOnDropHandle<()>,
}

/// One second that all readers share.
pub struct LiveTraffic {
    pub(super) second: TrafficSecond,
    frame: OnceLock<Bytes>,
}

impl LiveTraffic {
    /// The second as readers get it, formatted once.
    pub fn frame(&self, format: impl FnOnce(&TrafficSecond) -> Bytes) -> Bytes {
        self.frame.get_or_init(|| format(&self.second)).clone()
    }
}

impl WatchedUsers {
    pub(super) fn close(&self, user: &UserId) {
        let mut users = self.users.lock();
        users.remove(user);
        self.count.store(users.len(), Ordering::Relaxed);
    }

    pub(super) fn count(&self, user: &UserId, count: impl Fn(&mut Second)) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(watched) = self.users.lock().get_mut(user) {
            count(&mut watched.second);
            watched.here.iter_mut().for_each(count);
        }
    }

    /// Adds the counts of another node.
    pub(super) fn add(&self, user: &UserId, second: TrafficSecond) {
        if let Some(watched) = self.users.lock().get_mut(user) {
            watched.second.add(second);
        }
    }

    pub(super) fn has_readers(&self, user: &UserId) -> bool {
        let users = self.users.lock();
        users.get(user).is_some_and(|watched| !watched.is_unread())
    }

    /// The first reader starts the ticker that all readers of the user share.
    pub(super) fn watch(
        &self,
        user: &UserId,
        start_ticker: impl FnOnce() -> JoinHandle<()>,
    ) -> broadcast::Receiver<Arc<LiveTraffic>> {
        self.watched(user, start_ticker, |watched| watched.readers.subscribe())
    }

    /// Counts the traffic of this node, for another node.
    pub(super) fn count_here(&self, user: &UserId, start_ticker: impl FnOnce() -> JoinHandle<()>) {
        self.watched(user, start_ticker, |watched| {
            watched.here.get_or_insert_default();
        });
    }

    fn watched<T>(
        &self,
        user: &UserId,
        start_ticker: impl FnOnce() -> JoinHandle<()>,
        change: impl FnOnce(&mut WatchedUser) -> T,
    ) -> T {
        let mut users = self.users.lock();
        let watched = users.entry(user.clone()).or_insert_with(|| WatchedUser {
            readers: broadcast::Sender::new(BUFFER),
            second: Second::default(),
            here: None,
            _ticker: AbortOnDropHandle::new(start_ticker()),
        });
        let changed = change(watched);
        self.count.store(users.len(), Ordering::Relaxed);
        changed
    }

    /// A reader has left.
    pub(super) fn unwatch(&self, user: &UserId) {
        let mut users = self.users.lock();
        let unused = |watched: &WatchedUser| watched.is_unread() && watched.here.is_none();
        if users.get(user).is_some_and(unused) {
            users.remove(user);
            self.count.store(users.len(), Ordering::Relaxed);
        }
    }

    /// No other node has readers.
    pub(super) fn unfollow(&self, user: &UserId) {
        if let Some(watched) = self.users.lock().get_mut(user) {
            watched.here = None;
        }
        self.unwatch(user);
    }

    /// Publishes the counts of a user since the last time, if there are any. Returns those for other nodes.
    pub(super) fn publish(&self, user: &UserId, now_ms: i64) -> Option<TrafficSecond> {
        let (second, here, readers) = {
            let mut users = self.users.lock();
            let watched = users.get_mut(user)?;
            let here = watched.here.as_mut().map(std::mem::take);
            if watched.second.is_empty() {
                return None;
            }
            let second = std::mem::take(&mut watched.second);
            (second, here, watched.readers.clone())
        };
        // Fails when the last reader has just left.
        let _ = readers.send(Arc::new(LiveTraffic {
            second: second.summary(now_ms),
            frame: OnceLock::new(),
        }));
        let here = here.filter(|here| !here.is_empty())?;
        Some(here.summary(now_ms))
    }
}

impl WatchedUser {
    fn is_unread(&self) -> bool {
        self.readers.receiver_count() == 0
    }
}
