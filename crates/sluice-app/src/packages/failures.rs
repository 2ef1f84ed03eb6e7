//! Tasks that failed, each with a backoff of its own.

use std::{collections::HashMap, hash::Hash, time::Duration};

use sluice_infra::Backoff;
use tokio::time::Instant;

const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(30);

pub(super) struct Failures<T>(HashMap<T, Failure>);

struct Failure {
    backoff: Backoff,
    retry_at: Instant,
}

impl<T> Default for Failures<T> {
    fn default() -> Failures<T> {
        Failures(HashMap::new())
    }
}

impl<T: Eq + Hash> Failures<T> {
    /// Whether a task may be tried now.
    pub(super) fn is_due(&self, task: &T) -> bool {
        let failure = self.0.get(task);
        failure.is_none_or(|failure| failure.retry_at <= Instant::now())
    }

    /// Remembers that a task failed. Returns whether it is the first time since its last success.
    pub(super) fn add(&mut self, task: T) -> bool {
        let mut is_first = false;
        let failure = self.0.entry(task).or_insert_with(|| {
            is_first = true;
            Failure {
                backoff: Backoff::new(FIRST_PAUSE, LONGEST_PAUSE),
                retry_at: Instant::now(),
            }
        });
        failure.retry_at = Instant::now() + failure.backoff.next_delay();
        is_first
    }

    /// Forgets the failures of a task that succeeded.
    pub(super) fn remove(&mut self, task: &T) {
        self.0.remove(task);
    }

    /// Forgets the failures of all other tasks.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.0.retain(|task, _| is_kept(task));
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failed_task_is_retried_after_longer_and_longer_pauses() {
        let mut failures = Failures::default();
        assert!(failures.is_due(&"a"));
        assert!(failures.add("a"));
        assert!(!failures.is_due(&"a"));
        assert!(failures.is_due(&"b"));
        advance(FIRST_PAUSE).await;
        assert!(failures.is_due(&"a"));
        assert!(!failures.add("a"));
        advance(FIRST_PAUSE).await;
        assert!(!failures.is_due(&"a"));
        advance(FIRST_PAUSE).await;
        assert!(failures.is_due(&"a"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_succeeded_or_is_not_needed_any_more_begins_anew() {
        let mut failures = Failures::default();
        failures.add("a");
        failures.add("b");
        failures.remove(&"a");
        failures.retain(|task| *task != "b");
        for task in ["a", "b"] {
            assert!(failures.is_due(&task));
            assert!(failures.add(task));
        }
    }
}
