//! Traffic: sums of what happens in an account, once a second. They are counted in memory while someone reads them, and
//! never stored. A node with readers tells the others, which send it the sums of their seconds.

mod message;
mod second;
mod watched;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use sluice_cluster::{Hint, TRAFFIC_PATH};
use sluice_infra::Infra;
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::{activity::Counts, users};
use tokio::{
    sync::broadcast,
    task::JoinHandle,
    time::{Instant, MissedTickBehavior},
};

pub use self::{
    second::{EmitterTraffic, RouteTraffic, TrafficSecond, WebhookTraffic},
    watched::LiveTraffic,
};

use self::{message::TrafficMessage, watched::WatchedUsers};
use super::{end::StreamEnd, followers::Followers, permit::ReaderPermit};
use crate::route::Recipients;

const SECOND: Duration = Duration::from_secs(1);
/// How often other nodes are told whose traffic is read here.
const RENEWAL: Duration = Duration::from_secs(10);

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub(super) struct Traffic {
    infra: Infra,
    watched: Arc<WatchedUsers>,
    /// Nodes with readers of a user's traffic.
    followers: Followers<UserId>,
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
            followers: Followers::default(),
        }
    }

    /// Follows the traffic of a user from now on.
    pub(super) fn follow(&self, user: &UserId, permit: ReaderPermit) -> TrafficReader {
        let seconds = self.watched.watch(user, || self.start_ticker(user));
        self.tell_others(user);
        TrafficReader {
            seconds,
            guard: Guard {
                traffic: self.clone(),
                user: user.clone(),
                _permit: permit,
            },
        }
    }

    fn start_ticker(&self, user: &UserId) -> JoinHandle<()> {
        tokio::spawn(publish_each_second(self.clone(), user.clone()))
    }

    fn tell_others(&self, user: &UserId) {
        let cluster = &self.infra.cluster;
        if !cluster.is_alone() {
            cluster.hint_all(&Hint::Traffic(user.clone()));
        }
    }

    /// Another node has readers of a user's traffic.
    pub(super) fn followed(&self, user: &UserId, by: &str) {
        self.followers.add(user, by);
        self.watched.count_here(user, || self.start_ticker(user));
    }

    /// Takes the message of another node; false when it is none.
    pub(super) fn receive(&self, message: &[u8]) -> bool {
        let Ok(message) = serde_json::from_slice::<TrafficMessage>(message) else {
            return false;
        };
        let user = message.user.clone();
        let second = message.into_second(self.infra.now_ms());
        self.watched.add(&user, second);
        true
    }

    /// Publishes the last second to readers, here and on other nodes.
    fn publish(&self, user: &UserId) {
        let here = self.watched.publish(user, self.infra.now_ms());
        let followers = self.followers.of(user);
        if followers.is_empty() {
            self.followers.expire();
            self.watched.unfollow(user);
        }
        let Some(second) = here else { return };
        let message = TrafficMessage::new(user, second);
        let body = Bytes::from(serde_json::to_vec(&message).unwrap_or_default());
        for node in followers {
            let (cluster, body) = (self.infra.cluster.clone(), body.clone());
            tokio::spawn(async move {
                if let Err(error) = cluster.post(&node, TRAFFIC_PATH, body.into()).await {
                    tracing::debug!(node, %error, "traffic not sent");
                }
            });
        }
    }

    /// Tells the others again what is read here. They do not tell when a user was removed.
    async fn renew(&self, user: &UserId) {
        if self.infra.cluster.is_alone() || !self.watched.has_readers(user) {
            return;
        }
        self.tell_others(user);
        let id = user.clone();
        if let Ok(None) = self.infra.store.read(move |c| users::get(c, &id)).await {
            self.close(user);
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

async fn publish_each_second(traffic: Traffic, user: UserId) {
    let mut renewed = Instant::now();
    let mut ticker = tokio::time::interval(SECOND);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = traffic.infra.shutdown.draining() => return,
            _ = ticker.tick() => traffic.publish(&user),
        }
        if renewed.elapsed() >= RENEWAL {
            traffic.renew(&user).await;
            renewed = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests;
