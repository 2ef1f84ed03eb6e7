//! The nodes that follow emitters of this one: they have readers, and get a hint after each commit.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use sluice_model::EmitterId;
use tokio::time::Instant;

/// Followers renew this more often.
const LIFETIME: Duration = Duration::from_secs(30);

/// Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(super) struct Followers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// It is all that a commit looks at while there are none.
    any: AtomicBool,
    emitters: Mutex<HashMap<EmitterId, Vec<Follower>>>,
}

struct Follower {
    node: String,
    until: Instant,
}

impl Followers {
    pub(super) fn add(&self, emitter: &EmitterId, node: &str) {
        let until = Instant::now() + LIFETIME;
        let mut emitters = self.0.emitters.lock();
        let followers = emitters.entry(emitter.clone()).or_default();
        match followers.iter_mut().find(|follower| follower.node == node) {
            Some(known) => known.until = until,
            None => followers.push(Follower {
                node: node.to_owned(),
                until,
            }),
        }
        self.0.any.store(true, Ordering::Release);
    }

    /// The nodes that follow an emitter.
    pub(super) fn of(&self, emitter: &EmitterId) -> Vec<String> {
        if !self.0.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let now = Instant::now();
        let emitters = self.0.emitters.lock();
        let followers = emitters.get(emitter).into_iter().flatten();
        let current = followers.filter(|follower| follower.until > now);
        current.map(|follower| follower.node.clone()).collect()
    }

    /// Forgets those that have not renewed.
    pub(super) fn expire(&self) {
        let now = Instant::now();
        let mut emitters = self.0.emitters.lock();
        emitters.retain(|_, followers| {
            followers.retain(|follower| follower.until > now);
            !followers.is_empty()
        });
        self.0.any.store(!emitters.is_empty(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
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
