//! One step of a search.

use crate::batch_limit::{BatchLimit, SizedRow};

/// The most bytes of content that one step looks at, unless a single row has more.
const STEP_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From newer rows to older ones.
    Older,
    Newer,
}

impl Direction {
    /// The order of rows that have these columns as their key.
    pub(super) fn order(self, columns: &[&str]) -> String {
        match self {
            Direction::Older => format!("{} DESC", columns.join(" DESC, ")),
            Direction::Newer => columns.join(", "),
        }
    }
}

/// Which rows a step looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<K> {
    pub direction: Direction,
    /// Only rows beyond this one. None: from the first row in the direction.
    pub from: Option<K>,
    /// The most rows to look at.
    pub rows: u32,
    /// The most matches to return.
    pub wanted: usize,
}

impl<K: Copy> Part<K> {
    /// The bounds of the keys, both exclusive.
    pub(super) fn between(&self, low: K, high: K) -> (K, K)
    where
        K: Ord,
    {
        match (self.direction, self.from) {
            (_, None) => (low, high),
            (Direction::Older, Some(from)) => (low, high.min(from)),
            (Direction::Newer, Some(from)) => (low.max(from), high),
        }
    }

    /// The keys of the rows to read, and where the next step begins.
    pub(super) fn select(&self, rows: Vec<SizedRow<K>>) -> Selected<K> {
        let there = rows.len();
        let limit = BatchLimit {
            rows: self.rows,
            bytes: STEP_BYTES,
        };
        let keys = limit.of(rows);
        let is_last = keys.len() == there && there < self.rows as usize;
        let next = keys.last().copied().filter(|_| !is_last);
        Selected { keys, next }
    }
}

pub(super) struct Selected<K> {
    pub(super) keys: Vec<K>,
    pub(super) next: Option<K>,
}

impl<K: Ord + Copy> Selected<K> {
    /// The lowest and the highest key.
    pub(super) fn ends(&self) -> Option<(K, K)> {
        let (first, last) = (*self.keys.first()?, *self.keys.last()?);
        Some((first.min(last), first.max(last)))
    }

    /// The step that looked at these rows. A step that has found enough has not looked beyond its last match.
    pub(super) fn step<R>(self, part: &Part<K>, found: Vec<(K, R)>) -> Step<K, R> {
        let is_full = found.len() == part.wanted;
        let last = found.last().map(|(key, _)| *key).filter(|_| is_full);
        Step {
            looked_at: self.keys.len(),
            next: last.or(self.next),
            found: found.into_iter().map(|(_, row)| row).collect(),
        }
    }
}

/// The matches of one step in its direction, and the position of the next step. None when the search is complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<K, R> {
    pub found: Vec<R>,
    pub next: Option<K>,
    /// How many rows were looked at.
    pub looked_at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rows: u32, wanted: usize) -> Part<u32> {
        Part {
            direction: Direction::Older,
            from: None,
            rows,
            wanted,
        }
    }

    fn sized(count: u32, bytes: u64) -> Vec<SizedRow<u32>> {
        (0..count).map(|key| SizedRow { key, bytes }).collect()
    }

    #[test]
    fn a_step_says_where_the_next_one_begins_unless_it_is_the_last() {
        let select = |count, bytes| {
            let Selected { keys, next } = part(1_000, 9).select(sized(count, bytes));
            (keys.len(), next)
        };
        assert_eq!(select(0, 1), (0, None));
        assert_eq!(select(3, 1), (3, None));
        assert_eq!(select(1_000, 1), (1_000, Some(999)));
        assert_eq!(select(3, STEP_BYTES / 2), (2, Some(1)));
        assert_eq!(select(2, STEP_BYTES / 2), (2, None));
    }

    #[test]
    fn a_full_step_continues_after_its_last_match() {
        let step =
            |found: Vec<(u32, char)>| part(10, 2).select(sized(10, 1)).step(&part(10, 2), found);
        assert_eq!(step(vec![(3, 'a')]).next, Some(9));
        assert_eq!(step(vec![(3, 'a'), (5, 'b')]).next, Some(5));
    }
}
