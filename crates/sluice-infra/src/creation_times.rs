//! Times of creation. No two of a server are the same, so that lists, newest first, have the order in which items were created.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// Cheap to clone; all clones give times of one sequence.
#[derive(Debug, Clone, Default)]
pub struct CreationTimes(Arc<AtomicI64>);

impl CreationTimes {
    /// The present time, or just after the last one that was given.
    pub(crate) fn next(&self, now_ms: i64) -> i64 {
        let after = |last: i64| now_ms.max(last + 1);
        let given = |last| Some(after(last));
        let last = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, given);
        last.map_or(now_ms, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_moment_differ() {
        let times = CreationTimes::default();
        let given = [5, 5, 5, 100, 90].map(|now| times.next(now));
        assert_eq!(given, [5, 6, 7, 100, 101]);
    }
}
