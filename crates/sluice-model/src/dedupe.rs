//! Decides which emits of an invocation become events: their order, and the three dedupe strategies.
//!
//! A [`DedupeState`] belongs to one source and is stored with its events, in the transaction of the invocation that changed
//! it. Ids compare as whole strings, except for `greatest`, where they are numbers.

use std::{
    cmp::Ordering,
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use serde::{Deserialize, Serialize, Serializer};

use crate::{component::DedupeStrategy, number::Number};

/// How many ids the `unique` strategy remembers.
pub const UNIQUE_CACHE: usize = 100;

/// The fields of an emit that dedupe reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DedupeKey {
    pub id: Option<String>,
    pub ts: Option<f64>,
}

/// The decision about an emit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Emit,
    Duplicate,
    /// The strategy needs an id and the emit has none: an error in the component.
    MissingId,
    /// `greatest` needs a numeric id: an error in the component.
    NotANumber,
}

/// The state of a source about its earlier emits. Each strategy has its own state, so that a change of the strategy and back
/// loses nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DedupeState {
    #[serde(skip_serializing_if = "UniqueIds::is_empty")]
    unique: UniqueIds,
    #[serde(skip_serializing_if = "Option::is_none")]
    greatest: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

impl DedupeState {
    /// Decides about all emits of one invocation, in the order of [`order_by_ts`], and updates the state.
    pub fn admit(&mut self, strategy: Option<DedupeStrategy>, batch: &[DedupeKey]) -> Vec<Verdict> {
        match strategy {
            None => vec![Verdict::Emit; batch.len()],
            Some(DedupeStrategy::Unique) => each_with_id(batch, |id| self.admit_unique(id)),
            Some(DedupeStrategy::Greatest) => each_with_id(batch, |id| self.admit_greatest(id)),
            Some(DedupeStrategy::Last) => self.admit_last(batch),
        }
    }

    fn admit_unique(&mut self, id: &str) -> Verdict {
        if self.unique.insert(id) {
            Verdict::Emit
        } else {
            Verdict::Duplicate
        }
    }

    fn admit_greatest(&mut self, id: &str) -> Verdict {
        let Some(number) = Number::parse(id) else {
            return Verdict::NotANumber;
        };
        if self.greatest.is_some_and(|greatest| number <= greatest) {
            return Verdict::Duplicate;
        }
        self.greatest = Some(number);
        Verdict::Emit
    }

    /// Accepts the emits after the last one with the stored id. The next stored id comes from all emits with an id, accepted
    /// or not: the newest by `ts`, else the last.
    fn admit_last(&mut self, batch: &[DedupeKey]) -> Vec<Verdict> {
        let seen = self
            .last
            .as_ref()
            .and_then(|last| batch.iter().rposition(|key| key.id.as_ref() == Some(last)));
        if let Some(newest) = newest_id(batch) {
            self.last = Some(newest.to_owned());
        }
        batch
            .iter()
            .enumerate()
            .map(|(position, key)| match (&key.id, seen) {
                (None, _) => Verdict::MissingId,
                (Some(_), Some(seen)) if position <= seen => Verdict::Duplicate,
                (Some(_), Some(_) | None) => Verdict::Emit,
            })
            .collect()
    }
}

fn each_with_id(batch: &[DedupeKey], mut decide: impl FnMut(&str) -> Verdict) -> Vec<Verdict> {
    batch
        .iter()
        .map(|key| key.id.as_deref().map_or(Verdict::MissingId, &mut decide))
        .collect()
}

/// The id of the emit with the newest finite `ts`, the later one of equals; without any `ts`, of the last emit.
fn newest_id(batch: &[DedupeKey]) -> Option<&str> {
    let with_id = || {
        batch
            .iter()
            .filter_map(|key| Some((key.id.as_deref()?, finite(key.ts))))
    };
    with_id()
        .filter_map(|(id, ts)| Some((id, ts?)))
        .max_by(|(_, a), (_, b)| compare_finite(*a, *b))
        .map(|(id, _)| id)
        .or_else(|| with_id().next_back().map(|(id, _)| id))
}

/// Sorts the items that have a finite time among their own positions, oldest first and stable. Other items keep their
/// positions.
pub fn order_by_ts<T>(items: &mut [T], ts: impl Fn(&T) -> Option<f64>) {
    let (positions, times): (Vec<usize>, Vec<f64>) = items
        .iter()
        .enumerate()
        .filter_map(|(position, item)| Some((position, finite(ts(item))?)))
        .unzip();
    let mut sources: Vec<usize> = (0..positions.len()).collect();
    sources.sort_by(|a, b| compare_finite(times[*a], times[*b]));
    // Walks each cycle of the permutation once, because items can be swapped but not copied.
    for start in 0..sources.len() {
        let mut position = start;
        loop {
            let source = std::mem::replace(&mut sources[position], position);
            if source == start || source == position {
                break;
            }
            items.swap(positions[position], positions[source]);
            position = source;
        }
    }
}

fn finite(ts: Option<f64>) -> Option<f64> {
    ts.filter(|ts| ts.is_finite())
}

fn compare_finite(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).expect("finite numbers are ordered")
}

/// The ids of the latest events, first in first out. `order` and `known` hold the same ids.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "Vec<String>")]
struct UniqueIds {
    order: VecDeque<Arc<str>>,
    known: HashSet<Arc<str>>,
}

impl UniqueIds {
    fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns whether the id was new. A known id keeps its position in the queue.
    fn insert(&mut self, id: &str) -> bool {
        if self.known.contains(id) {
            return false;
        }
        if self.order.len() == UNIQUE_CACHE
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        let id: Arc<str> = id.into();
        self.order.push_back(Arc::clone(&id));
        self.known.insert(id)
    }
}

impl Serialize for UniqueIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.order.serialize(serializer)
    }
}

impl From<Vec<String>> for UniqueIds {
    fn from(stored: Vec<String>) -> Self {
        let mut ids = Self::default();
        for id in &stored {
            ids.insert(id);
        }
        ids
    }
}
