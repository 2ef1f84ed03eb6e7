//! Compares the events of a source with what its clients sent.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::clients::Sent;
use crate::{
    ledger::{Ledger, StoredEvent},
    support::Deployed,
};

/// What must not happen, counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct History {
    pub(super) acknowledged: usize,
    /// Acknowledged attempts without an event.
    pub(super) lost: usize,
    /// Events of an attempt beyond the first.
    pub(super) doubled: usize,
    /// Events before one of an earlier number of their client that was acknowledged.
    pub(super) reordered: usize,
    /// Events whose count is not the next one.
    pub(super) miscounted: usize,
}

impl History {
    pub(super) fn add(&mut self, other: &History) {
        self.acknowledged += other.acknowledged;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.reordered += other.reordered;
        self.miscounted += other.miscounted;
    }
}

/// The history of a source that ran [`super::clients::COUNTER`].
pub(super) fn check(ledger: &Ledger, source: &Deployed, sent: &[Sent]) -> History {
    let events = ledger.events(&source.id);
    let mut history = compare(&events, sent);
    let stored = ledger.stored(&source.id, "count");
    if stored.and_then(|count| count.as_u64()) != Some(events.len() as u64) {
        history.miscounted += 1;
    }
    assert!(
        events.is_sorted_by(|before, after| before.id < after.id),
        "event ids do not strictly increase"
    );
    history
}

/// Client, number and attempt.
type Key = (u64, u64, u64);

fn compare(events: &[StoredEvent], sent: &[Sent]) -> History {
    let acknowledged: HashMap<Key, bool> = sent.iter().flat_map(keys).collect();
    let mut history = History {
        acknowledged: acknowledged.values().filter(|is| **is).count(),
        ..History::default()
    };
    let mut seen = HashSet::new();
    // The last acknowledged number of each client. Each number but the last is acknowledged.
    let mut last: HashMap<u64, u64> = HashMap::new();
    for (event, count) in events.iter().zip(1..) {
        let key @ (client, n, _) = key(event);
        let is_acknowledged = *acknowledged
            .get(&key)
            .unwrap_or_else(|| panic!("{} was never sent", event.data));
        if event.number("count") != count {
            history.miscounted += 1;
        }
        if !seen.insert(key) {
            history.doubled += 1;
            continue;
        }
        let last = last.entry(client).or_default();
        if *last + 1 < n || (is_acknowledged && *last >= n) {
            history.reordered += 1;
        }
        if is_acknowledged {
            *last = n.max(*last);
        }
    }
    let is_lost =
        |(key, is_acknowledged): &(&Key, &bool)| **is_acknowledged && !seen.contains(*key);
    history.lost = acknowledged.iter().filter(is_lost).count();
    history
}

fn keys(sent: &Sent) -> impl Iterator<Item = (Key, bool)> {
    let requests = sent.requests.iter();
    requests.map(|request| {
        let key = (sent.client, request.n, request.attempt);
        (key, request.is_acknowledged)
    })
}

fn key(event: &StoredEvent) -> Key {
    assert_eq!(event.channel, "", "{}", event.data);
    let number = |field: &str| event.number(field);
    (number("client"), number("n"), number("attempt"))
}

/// When a request was sent that led to an event, in milliseconds.
pub(super) fn sent_at(event: &StoredEvent) -> i64 {
    let sent_at = event.data["sent_at"].as_i64();
    sent_at.unwrap_or_else(|| panic!("no time in {}", event.data))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::clients::Request, *};

    /// One client: 1 and 3 were acknowledged at once, 2 by the second attempt.
    fn sent() -> Vec<Sent> {
        let request = |n, attempt, is_acknowledged| Request {
            n,
            attempt,
            is_acknowledged,
        };
        vec![Sent {
            client: 0,
            requests: vec![
                request(1, 1, true),
                request(2, 1, false),
                request(2, 2, true),
                request(3, 1, true),
            ],
        }]
    }

    fn history(attempts: &[(u64, u64)]) -> History {
        let event = |((n, attempt), count): (&(u64, u64), u64)| StoredEvent {
            id: (0, 0),
            channel: String::new(),
            meta: Value::Null,
            data: json!({ "client": 0, "n": n, "attempt": attempt, "count": count }),
        };
        let events: Vec<_> = attempts.iter().zip(1..).map(event).collect();
        compare(&events, &sent())
    }

    fn right() -> History {
        History {
            acknowledged: 3,
            ..History::default()
        }
    }

    #[test]
    fn an_attempt_without_an_answer_may_have_one_event_at_any_later_place() {
        for attempts in [
            &[(1, 1), (2, 2), (3, 1)][..],
            &[(1, 1), (2, 1), (2, 2), (3, 1)],
            &[(1, 1), (2, 2), (3, 1), (2, 1)],
        ] {
            assert_eq!(history(attempts), right(), "{attempts:?}");
        }
    }

    #[test]
    fn lost_doubled_and_reordered_events_are_counted() {
        let lost = history(&[(1, 1), (2, 1), (2, 2)]);
        assert_eq!(lost, History { lost: 1, ..right() });
        let doubled = history(&[(1, 1), (2, 2), (3, 1), (2, 2)]);
        assert_eq!(
            doubled,
            History {
                doubled: 1,
                ..right()
            }
        );
        // The third comes too early, and so does an attempt of the second.
        let reordered = history(&[(2, 1), (1, 1), (3, 1), (2, 2)]);
        assert!(reordered.reordered >= 2, "{reordered:?}");
    }

    #[test]
    fn a_count_that_is_not_the_next_one_is_miscounted() {
        let mut event = StoredEvent {
            id: (0, 0),
            channel: String::new(),
            meta: Value::Null,
            data: json!({ "client": 0, "n": 1, "attempt": 1, "count": 2 }),
        };
        assert_eq!(compare(&[event.clone()], &sent()).miscounted, 1);
        event.data["count"] = json!(1);
        assert_eq!(compare(&[event], &sent()).miscounted, 0);
    }
}
