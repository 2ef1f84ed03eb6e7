//! The receivers of a queue: attempts under way to each, and its circuit breaker.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    circuit_breaker::CircuitBreaker,
    row::Verdict,
    strategy::{SlowPeers, Strategy},
};

/// A receiver that takes longer and then fails gets one attempt at a time.
pub(super) const SLOW: Duration = Duration::from_secs(1);
/// The shortest pause for a receiver that asks for one.
const MIN_PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Peers {
    peers: HashMap<String, Peer>,
    /// Attempts under way to all receivers.
    under_way: usize,
}

#[derive(Default)]
struct Peer {
    under_way: usize,
    breaker: CircuitBreaker,
}

impl Peers {
    /// Takes a slot for an attempt. None is free while the circuit breaker pauses, and one while it is open.
    pub(super) fn take_slot(&mut self, peer: &str, strategy: &Strategy, now: Instant) -> bool {
        let state = self.peers.get(peer);
        let limit = match state.map(|state| &state.breaker) {
            Some(breaker) if breaker.pause(now).is_some() => 0,
            Some(breaker) if breaker.is_open() => 1,
            _ => strategy.per_peer,
        };
        let used = state.map_or(0, |state| state.under_way);
        if self.under_way >= strategy.concurrency || used >= limit {
            return false;
        }
        self.entry(peer).under_way += 1;
        self.under_way += 1;
        true
    }

    /// Whether the queue may have more attempts under way.
    pub(super) fn has_slots(&self, strategy: &Strategy) -> bool {
        self.under_way < strategy.concurrency
    }

    /// Whether a receiver is paused, or gets one attempt at a time.
    pub(super) fn has_slow(&self, now: Instant) -> bool {
        self.peers
            .values()
            .any(|peer| peer.breaker.is_open() || peer.breaker.pause(now).is_some())
    }

    pub(super) fn free_slot(&mut self, peer: &str) {
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(state) = self.peers.get_mut(peer) {
            state.under_way = state.under_way.saturating_sub(1);
            if state.under_way == 0 && state.breaker.is_pristine(Instant::now()) {
                self.peers.remove(peer);
            }
        }
    }

    /// Reports the result of an attempt to the circuit breaker.
    pub(super) fn attempted(
        &mut self,
        peer: &str,
        verdict: &Verdict,
        took: Duration,
        jitter: f64,
        strategy: &Strategy,
    ) {
        let now = Instant::now();
        let breaker = &mut self.entry(peer).breaker;
        match verdict {
            Verdict::Retry {
                receiver_failed, ..
            } => {
                if *receiver_failed {
                    breaker.failed(now, jitter);
                } else {
                    breaker.succeeded();
                }
                if took >= SLOW && strategy.slow_peers == SlowPeers::Bypass {
                    breaker.trip();
                }
            }
            Verdict::Pause(pause) => {
                breaker.failed(now, jitter);
                breaker.pause_until(now + (*pause).max(MIN_PAUSE));
            }
            Verdict::Sent | Verdict::Failed => breaker.succeeded(),
            Verdict::Gone => {}
        }
    }

    /// A receiver that is busy and has not answered gets one attempt at a time from now on.
    pub(super) fn trip_busy<'a>(&mut self, peers: impl Iterator<Item = &'a str>) {
        for peer in peers.collect::<BTreeSet<_>>() {
            if let Some(state) = self.peers.get_mut(peer)
                && state.under_way > 0
            {
                state.breaker.trip();
            }
        }
    }

    /// The end of the pause of a receiver.
    pub(super) fn pause(&self, peer: &str, now: Instant) -> Option<Instant> {
        self.peers.get(peer)?.breaker.pause(now)
    }

    /// Whether a receiver gets one attempt at a time and that one is under way.
    pub(super) fn is_probed(&self, peer: &str) -> bool {
        let state = self.peers.get(peer);
        state.is_some_and(|state| state.breaker.is_open() && state.under_way > 0)
    }

    pub(super) fn is_down(&self, peer: &str, now: Instant) -> bool {
        let state = self.peers.get(peer);
        state.is_some_and(|state| state.breaker.is_down(now))
    }

    /// Closes all circuit breakers.
    pub(super) fn reset(&mut self) {
        self.peers.retain(|_, peer| peer.under_way > 0);
        for peer in self.peers.values_mut() {
            peer.breaker = CircuitBreaker::default();
        }
    }

    fn entry(&mut self, peer: &str) -> &mut Peer {
        self.peers.entry(peer.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use sluice_store::BatchLimit;

    use super::*;
    use crate::strategy::{Refill, Slot};

    const STRATEGY: Strategy = Strategy {
        window: BatchLimit {
            rows: 10,
            bytes: 10,
        },
        refill: Refill::Continuous,
        concurrency: 3,
        per_peer: 2,
        slot: Slot::UntilRecorded,
        slow_peers: SlowPeers::Bypass,
    };
    const NO_ANSWER: Verdict = Verdict::Retry {
        after: None,
        receiver_failed: true,
    };

    fn take(peers: &mut Peers, peer: &str) -> bool {
        peers.take_slot(peer, &STRATEGY, Instant::now())
    }

    #[test]
    fn a_receiver_has_its_slots_and_the_queue_has_more() {
        let mut peers = Peers::default();
        assert!(take(&mut peers, "a") && take(&mut peers, "a"));
        assert!(!take(&mut peers, "a"));
        assert!(take(&mut peers, "b"));
        assert!(!take(&mut peers, "c"), "the queue has no more");
        peers.free_slot("a");
        assert!(take(&mut peers, "c"));
    }

    #[test]
    fn a_slow_receiver_gets_one_attempt_at_a_time_until_it_answers() {
        let mut peers = Peers::default();
        assert!(take(&mut peers, "a"));
        peers.attempted("a", &NO_ANSWER, SLOW, 1.0, &STRATEGY);
        assert!(peers.is_probed("a"));
        peers.free_slot("a");
        assert!(take(&mut peers, "a") && !take(&mut peers, "a"));
        peers.attempted("a", &Verdict::Failed, SLOW, 1.0, &STRATEGY);
        assert!(take(&mut peers, "a"));
    }

    #[test]
    fn a_receiver_that_pauses_gets_nothing_until_its_webhook_is_changed() {
        let mut peers = Peers::default();
        assert!(take(&mut peers, "a"));
        let pause = Verdict::Pause(Duration::ZERO);
        peers.attempted("a", &pause, Duration::ZERO, 1.0, &STRATEGY);
        peers.free_slot("a");
        assert!(peers.pause("a", Instant::now()).is_some());
        assert!(!take(&mut peers, "a") && take(&mut peers, "b"));
        peers.reset();
        assert!(take(&mut peers, "a"));
    }
}
