//! What is counted in about a second, and what readers are told of it.

use std::{cmp::Reverse, collections::HashMap, hash::Hash};

use sluice_model::{EmitterId, WebhookId};
use sluice_store::{activity::Counts, routes::Listener};

use crate::routing::Reached;

/// What readers are told of each kind in a second; the largest numbers are.
const MOST_TOLD: usize = 1_000;
/// What is counted of each kind in a second.
const MOST_COUNTED: usize = 10_000;

/// What has happened since readers were last told.
#[derive(Default)]
pub(super) struct Second {
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

impl Second {
    pub(super) fn is_empty(&self) -> bool {
        self.emitters.is_empty() && self.routes.is_empty() && self.webhooks.is_empty()
    }

    pub(super) fn committed(&mut self, emitter: &EmitterId, counts: Counts, reached: &Reached) {
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

    pub(super) fn attempted(&mut self, webhook: &WebhookId, tries: WebhookTraffic) {
        if let Some(sum) = entry(&mut self.webhooks, webhook.clone(), &mut self.cut) {
            sum.delivered += tries.delivered;
            sum.failed += tries.failed;
        }
    }

    pub(super) fn told(self, ts: i64) -> TrafficSecond {
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
