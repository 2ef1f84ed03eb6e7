//! The failures in a row of one emitter. Users are notified of them.
//!
//! Only a change of the streak is written, and an old streak grows in few writes: a source that fails ten thousand times a second
//! costs no more than one that works.

use sluice_runtime::Failure;
use sluice_store::subject_health::{self, StreakChange};

/// Up to this length each commit with a failure is written, so that every threshold is noticed at once.
pub const MAX_THRESHOLD: u64 = 100;

/// Characters.
const MAX_MESSAGE: usize = 500;

/// Failures since the last success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Streak {
    failures: u64,
    since: i64,
}

impl From<Option<subject_health::Streak>> for Streak {
    fn from(stored: Option<subject_health::Streak>) -> Streak {
        stored.map_or_else(Streak::default, |stored| Streak {
            // A stored streak has one failure at least.
            failures: stored.failures.max(1),
            since: stored.failing_since,
        })
    }
}

/// The outcomes of one commit, in their order, as far as a streak depends on them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outcomes {
    /// Failures before the first success.
    before: u64,
    succeeded: bool,
    /// Failures after the last success.
    after: u64,
    /// Of the last failure.
    error: Option<String>,
}

impl Outcomes {
    pub(crate) fn success(&mut self) {
        self.succeeded = true;
        self.after = 0;
    }

    pub(crate) fn failure(&mut self, failure: &Failure) {
        if self.succeeded {
            self.after += 1;
        } else {
            self.before += 1;
        }
        // Users read the beginning.
        let message: String = failure.message.chars().take(MAX_MESSAGE).collect();
        self.error = Some(format!("{}: {message}", failure.name));
    }
}

impl Streak {
    /// Adds the outcomes of a commit. Returns the change to write, if there is one.
    pub(crate) fn add(&mut self, outcomes: Outcomes, now_ms: i64) -> Option<StreakChange> {
        let Outcomes {
            before,
            succeeded,
            after,
            error,
        } = outcomes;
        let was = *self;
        let grown = was.failures + before;
        let change = |streak: Streak, recovered_at| StreakChange {
            failures: streak.failures,
            failing_since: streak.since,
            recovered_at,
            error,
        };
        let began = |failures| Streak {
            failures,
            since: now_ms,
        };
        if !succeeded {
            *self = match was.failures {
                0 if grown > 0 => began(grown),
                _ => Streak {
                    failures: grown,
                    ..was
                },
            };
            return was.is_outgrown_by(grown).then(|| change(*self, None));
        }
        if after > 0 {
            *self = began(after);
            return Some(change(*self, None));
        }
        *self = Streak::default();
        let ended = Streak {
            failures: grown,
            ..was
        };
        (was.failures > 0).then(|| change(ended, Some(now_ms)))
    }

    /// Whether a streak that has grown to this length is to be written.
    fn is_outgrown_by(self, grown: u64) -> bool {
        let is_longer = grown > self.failures;
        is_longer && (self.failures < MAX_THRESHOLD || grown.ilog2() > self.failures.ilog2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::builder::failure;

    /// `f` is a failure and `s` a success.
    fn outcomes(text: &str) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for letter in text.chars() {
            match letter {
                'f' => outcomes.failure(&failure("Error", "oops".to_owned())),
                _ => outcomes.success(),
            }
        }
        outcomes
    }

    /// The changes that commits with these outcomes write: failures, since, and whether it ended.
    fn changes(commits: &[&str]) -> Vec<Option<(u64, i64, bool)>> {
        let mut streak = Streak::default();
        let commits = commits.iter().zip(1..);
        commits
            .map(|(text, now)| {
                let change = streak.add(outcomes(text), now)?;
                let ended = change.recovered_at.is_some();
                Some((change.failures, change.failing_since, ended))
            })
            .collect()
    }

    #[test]
    fn a_streak_is_written_when_it_begins_grows_and_ends() {
        assert_eq!(
            changes(&["s", "f", "", "ff", "fs", "s"]),
            [
                None,
                Some((1, 2, false)),
                None,
                Some((3, 2, false)),
                Some((4, 2, true)),
                None
            ]
        );
    }

    #[test]
    fn a_success_in_a_commit_begins_a_new_streak() {
        assert_eq!(
            changes(&["ff", "fsf", "sff", "ffs", "ffs"]),
            [
                Some((2, 1, false)),
                Some((1, 2, false)),
                Some((2, 3, false)),
                Some((4, 3, true)),
                None
            ]
        );
    }

    #[test]
    fn an_endless_streak_is_written_a_few_times() {
        let mut streak = Streak::default();
        let mut written = 0;
        for now in 0..1_000_000 {
            written += u64::from(streak.add(outcomes("f"), now).is_some());
        }
        assert_eq!(written, MAX_THRESHOLD + 13);
        let end = streak.add(outcomes("s"), 1).unwrap();
        assert_eq!((end.failures, end.failing_since), (1_000_000, 0));
        assert_eq!(end.error, None);
    }

    #[test]
    fn a_stored_streak_goes_on() {
        let stored = subject_health::Streak {
            failures: 7,
            failing_since: 5,
        };
        let mut streak = Streak::from(Some(stored));
        let change = streak.add(outcomes("f"), 9).unwrap();
        assert_eq!((change.failures, change.failing_since), (8, 5));
    }
}
