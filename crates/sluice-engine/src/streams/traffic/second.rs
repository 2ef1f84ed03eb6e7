//! The counts of about one second, and their summary for readers.

use std::{cmp::Reverse, collections::HashMap, hash::Hash};

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, WebhookId};
use sluice_store::{activity::Counts, routes::Listener};

use crate::route::Recipients;

/// Entries of each kind in a summary; the largest are kept.
const MAX_REPORTED: usize = 1_000;
/// Entries of each kind that are counted in a second.
const MAX_COUNTED: usize = 10_000;

/// The counts since the last summary.
#[derive(Default)]
pub(super) struct Second {
    emitters: HashMap<EmitterId, EmitterTraffic>,
    routes: HashMap<(EmitterId, Listener), u64>,
    webhooks: HashMap<WebhookId, WebhookTraffic>,
    cut: bool,
}

/// The activity of a source or a workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmitterTraffic {
    pub events: u64,
    /// Invocations that failed; for workflows, runs.
    pub errors: u64,
    pub invocations: u64,
}

/// Delivery attempts of a webhook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookTraffic {
    pub delivered: u64,
    pub failed: u64,
}

/// Events routed from an emitter to a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteTraffic {
    pub from: EmitterId,
    pub to: Listener,
    pub count: u64,
}

/// The summary of about one second, largest numbers first.
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

    pub(super) fn committed(
        &mut self,
        emitter: &EmitterId,
        counts: Counts,
        recipients: &Recipients,
    ) {
        let Counts {
            events,
            errors,
            invocations,
            compute_ms: _,
            late_ticks: _,
            skipped_ticks: _,
        } = counts;
        if events + errors + invocations > 0 {
            let active = EmitterTraffic {
                events,
                errors,
                invocations,
            };
            self.active(emitter.clone(), active);
        }
        for (listener, count) in recipients.counted() {
            self.routed(emitter.clone(), listener.clone(), count);
        }
    }

    /// Adds the counts of another node.
    pub(super) fn add(&mut self, second: TrafficSecond) {
        for (emitter, active) in second.emitters {
            self.active(emitter, active);
        }
        for RouteTraffic { from, to, count } in second.routes {
            self.routed(from, to, count);
        }
        for (webhook, attempts) in &second.webhooks {
            self.attempted(webhook, *attempts);
        }
        self.cut |= second.cut;
    }

    fn active(&mut self, emitter: EmitterId, more: EmitterTraffic) {
        if let Some(sum) = entry(&mut self.emitters, emitter, &mut self.cut) {
            sum.events += more.events;
            sum.errors += more.errors;
            sum.invocations += more.invocations;
        }
    }

    fn routed(&mut self, from: EmitterId, to: Listener, count: u64) {
        if let Some(sum) = entry(&mut self.routes, (from, to), &mut self.cut) {
            *sum += count;
        }
    }

    pub(super) fn attempted(&mut self, webhook: &WebhookId, attempts: WebhookTraffic) {
        if let Some(sum) = entry(&mut self.webhooks, webhook.clone(), &mut self.cut) {
            sum.delivered += attempts.delivered;
            sum.failed += attempts.failed;
        }
    }

    pub(super) fn summary(self, ts: i64) -> TrafficSecond {
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

/// The sum of a key; `None` when there is no capacity for another key.
fn entry<'a, K: Eq + Hash, V: Default>(
    sums: &'a mut HashMap<K, V>,
    key: K,
    cut: &mut bool,
) -> Option<&'a mut V> {
    if sums.len() >= MAX_COUNTED && !sums.contains_key(&key) {
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
    *cut |= sums.len() > MAX_REPORTED;
    sums.truncate(MAX_REPORTED);
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
        let mut reached = Recipients::default();
        reached.add(&Listener::Webhook(hook.clone()));
        reached.add(&Listener::Webhook(hook.clone()));
        second.committed(&one, events(2), &reached);
        second.committed(&one, events(1), &Recipients::default());
        second.committed(&other, Counts::default(), &Recipients::default());
        let tries = WebhookTraffic {
            delivered: 1,
            failed: 2,
        };
        second.attempted(&hook, tries);
        second.attempted(&hook, tries);
        let told = second.summary(5);
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
        for n in 0..=MAX_REPORTED {
            let count = 1 + n as u64;
            second.committed(&emitter(n), events(count), &Recipients::default());
        }
        let told = second.summary(5);
        assert!(told.cut);
        assert_eq!(told.emitters.len(), MAX_REPORTED);
        assert_eq!(told.emitters[0].0, emitter(MAX_REPORTED));
        assert!(told.emitters.iter().all(|(id, _)| *id != emitter(0)));
    }

    #[test]
    fn no_more_is_counted_than_there_is_room_for() {
        let mut second = Second::default();
        for n in 0..MAX_COUNTED + 5 {
            second.committed(&emitter(n), events(1), &Recipients::default());
        }
        second.committed(&emitter(0), events(1), &Recipients::default());
        assert_eq!(second.emitters.len(), MAX_COUNTED);
        assert_eq!(second.emitters[&emitter(0)].events, 2);
        assert!(second.summary(5).cut);
    }
}
