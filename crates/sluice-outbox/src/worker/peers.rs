//! The receivers of a queue: attempts under way to each, and its circuit breaker.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use sluice_infra::{millis, until};
use sluice_store::queue_claims::OpenBreaker;
use tokio::time::Instant;

use crate::{
    circuit_breaker::{CircuitBreaker, OpenState},
    row::Verdict,
    strategy::{SlowPeers, Strategy},
};

/// A receiver that takes longer and then fails gets one attempt at a time.
pub(super) const SLOW: Duration = Duration::from_secs(1);
/// The shortest pause for a receiver that asks for one.
const MIN_PAUSE: Duration = Duration::from_secs(1);
/// Circuit breakers of one queue that are saved: those that are open the longest.
const MAX_SAVED: usize = 100;

#[derive(Default)]
pub(super) struct Peers {
    by_name: HashMap<String, Peer>,
    /// Attempts under way to all receivers.
    under_way: usize,
    /// Whether a circuit breaker opened or closed since they were last saved.
    unsaved: bool,
}

/// The same moment by two clocks: that of pauses here, and that of the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: Instant,
    pub(super) now_ms: i64,
}

#[derive(Default)]
struct Peer {
    under_way: usize,
    breaker: CircuitBreaker,
}

impl Peers {
    /// Receivers with the circuit breakers that were saved.
    pub(super) fn restored(open: &[OpenBreaker], moment: Moment) -> Peers {
        let peer = |breaker: &OpenBreaker| {
            let state = Peer {
                breaker: CircuitBreaker::opened(restored(breaker, moment)),
                under_way: 0,
            };
            (breaker.peer.clone(), state)
        };
        Peers {
            by_name: open.iter().map(peer).collect(),
            ..Peers::default()
        }
    }

    /// The circuit breakers that are open, if they have to be saved.
    pub(super) fn take_unsaved(&mut self, moment: Moment) -> Option<Vec<OpenBreaker>> {
        if !std::mem::take(&mut self.unsaved) {
            return None;
        }
        let open = self.by_name.iter().filter_map(|(peer, state)| {
            let open = state.breaker.open_state(moment.now)?;
            Some(saved(peer, open, moment))
        });
        let mut open: Vec<OpenBreaker> = open.collect();
        open.sort_by_key(|breaker| std::cmp::Reverse(breaker.open_until));
        open.truncate(MAX_SAVED);
        Some(open)
    }

    /// Takes a slot for an attempt. None is free while the circuit breaker pauses, and one while it is open.
    pub(super) fn take_slot(&mut self, peer: &str, strategy: &Strategy, now: Instant) -> bool {
        let state = self.by_name.get(peer);
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
        self.by_name
            .values()
            .any(|peer| peer.breaker.is_open() || peer.breaker.pause(now).is_some())
    }

    pub(super) fn free_slot(&mut self, peer: &str) {
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(state) = self.by_name.get_mut(peer) {
            state.under_way = state.under_way.saturating_sub(1);
            if state.under_way == 0 && state.breaker.is_pristine(Instant::now()) {
                self.by_name.remove(peer);
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
        let before = breaker.open_state(now);
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
        let is_changed = breaker.open_state(now) != before;
        self.unsaved |= is_changed;
    }

    /// A receiver that is busy and has not answered gets one attempt at a time from now on.
    pub(super) fn trip_busy<'a>(&mut self, peers: impl Iterator<Item = &'a str>) {
        for peer in peers.collect::<BTreeSet<_>>() {
            if let Some(state) = self.by_name.get_mut(peer)
                && state.under_way > 0
            {
                state.breaker.trip();
            }
        }
    }

    /// The end of the pause of a receiver.
    pub(super) fn pause(&self, peer: &str, now: Instant) -> Option<Instant> {
        self.by_name.get(peer)?.breaker.pause(now)
    }

    /// Whether a receiver gets one attempt at a time and that one is under way.
    pub(super) fn is_probed(&self, peer: &str) -> bool {
        let state = self.by_name.get(peer);
        state.is_some_and(|state| state.breaker.is_open() && state.under_way > 0)
    }

    pub(super) fn is_down(&self, peer: &str, now: Instant) -> bool {
        let state = self.by_name.get(peer);
        state.is_some_and(|state| state.breaker.is_down(now))
    }

    /// Closes all circuit breakers.
    pub(super) fn reset(&mut self) {
        let now = Instant::now();
        let mut breakers = self.by_name.values().map(|peer| &peer.breaker);
        self.unsaved |= breakers.any(|breaker| breaker.open_state(now).is_some());
        self.by_name.retain(|_, peer| peer.under_way > 0);
        for peer in self.by_name.values_mut() {
            peer.breaker = CircuitBreaker::default();
        }
    }

    fn entry(&mut self, peer: &str) -> &mut Peer {
        self.by_name.entry(peer.to_owned()).or_default()
    }
}

fn saved(peer: &str, open: OpenState, Moment { now, now_ms }: Moment) -> OpenBreaker {
    let pause = open.paused_until.map(|until| until.duration_since(now));
    OpenBreaker {
        peer: peer.to_owned(),
        failures: open.failures,
        opened_at: now_ms,
        open_until: now_ms.saturating_add(pause.map_or(0, millis)),
    }
}

/// A clock that was set back since does not lengthen the pause.
fn restored(breaker: &OpenBreaker, Moment { now, now_ms }: Moment) -> OpenState {
    let pause = until(breaker.open_until, now_ms.max(breaker.opened_at));
    OpenState {
        failures: breaker.failures,
        paused_until: Some(now + pause),
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

    #[test]
    fn breakers_are_saved_when_they_open_and_when_they_close() {
        let moment = |now_ms| Moment {
            now: Instant::now(),
            now_ms,
        };
        let mut peers = Peers::default();
        for _ in 0..4 {
            peers.attempted("a", &NO_ANSWER, Duration::ZERO, 1.0, &STRATEGY);
            peers.attempted("b", &Verdict::Sent, Duration::ZERO, 1.0, &STRATEGY);
        }
        assert_eq!(peers.take_unsaved(moment(1_000)), None);
        peers.attempted("a", &NO_ANSWER, Duration::ZERO, 1.0, &STRATEGY);
        let saved = peers.take_unsaved(moment(1_000)).unwrap();
        assert_eq!((saved.len(), saved[0].peer.as_str()), (1, "a"));
        assert_eq!((saved[0].failures, saved[0].opened_at), (5, 1_000));
        assert!((5_900..=6_000).contains(&saved[0].open_until), "{saved:?}");
        assert_eq!(peers.take_unsaved(moment(1_000)), None);

        let paused = |now_ms| {
            let moment = moment(now_ms);
            let peers = Peers::restored(&saved, moment);
            let end = peers.pause("a", moment.now);
            end.map(|end| end.duration_since(moment.now).as_secs())
        };
        // The clock was set back for the first.
        assert_eq!(
            [paused(0), paused(3_000), paused(6_000)],
            [Some(4), Some(2), None]
        );

        let mut peers = Peers::restored(&saved, moment(6_000));
        assert!(take(&mut peers, "a") && !take(&mut peers, "a"), "a probe");
        peers.attempted("a", &Verdict::Sent, Duration::ZERO, 1.0, &STRATEGY);
        assert_eq!(peers.take_unsaved(moment(6_000)), Some(Vec::new()));
        let mut peers = Peers::restored(&saved, moment(1_000));
        peers.reset();
        assert_eq!(peers.take_unsaved(moment(1_000)), Some(Vec::new()));
    }
}
