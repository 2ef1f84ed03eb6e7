//! The nodes that have readers of an emitter, or of the traffic of an account, and are told of changes.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;

/// Followers renew this more often.
const LIFETIME: Duration = Duration::from_secs(30);

/// `K` is what they follow. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(super) struct Followers<K>(Arc<Inner<K>>);

struct Inner<K> {
    /// It is all that a commit looks at while there are none.
    any: AtomicBool,
    followed: Mutex<HashMap<K, Vec<Follower>>>,
}

struct Follower {
    node: String,
    until: Instant,
}

impl<K> Default for Followers<K> {
    fn default() -> Followers<K> {
        Followers(Arc::new(Inner {
            any: AtomicBool::new(false),
            followed: Mutex::default(),
        }))
    }
}

impl<K: Clone + Eq + Hash> Followers<K> {
    pub(super) fn add(&self, id: &K, node: &str) {
        let until = Instant::now() + LIFETIME;
        let mut followed = self.0.followed.lock();
        let followers = followed.entry(id.clone()).or_default();
        match followers.iter_mut().find(|follower| follower.node == node) {
            Some(known) => known.until = until,
            None => followers.push(Follower {
                node: node.to_owned(),
                until,
            }),
        }
        self.0.any.store(true, Ordering::Release);
    }

    pub(super) fn of(&self, id: &K) -> Vec<String> {
        if !self.0.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let now = Instant::now();
        let followed = self.0.followed.lock();
        let followers = followed.get(id).into_iter().flatten();
        let current = followers.filter(|follower| follower.until > now);
        current.map(|follower| follower.node.clone()).collect()
    }

    /// Forgets those that have not renewed.
    pub(super) fn expire(&self) {
        let now = Instant::now();
        let mut followed = self.0.followed.lock();
        followed.retain(|_, followers| {
            followers.retain(|follower| follower.until > now);
            !followers.is_empty()
        });
        self.0.any.store(!followed.is_empty(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::EmitterId;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_follower_that_does_not_renew_is_forgotten() {
        let followers = Followers::default();
        let emitter = EmitterId::parse("dc_a").unwrap();
        let pause = LIFETIME * 2 / 3;
        followers.add(&emitter, "b");
        followers.add(&emitter, "c");
        tokio::time::advance(pause).await;
        followers.add(&emitter, "b");
        followers.expire();
        assert_eq!(followers.of(&emitter), ["b", "c"]);
        tokio::time::advance(pause).await;
        assert_eq!(followers.of(&emitter), ["b"]);
        tokio::time::advance(pause).await;
        assert_eq!(followers.of(&emitter), [""; 0]);
        followers.expire();
        assert!(!followers.0.any.load(Ordering::Acquire));
    }
}
