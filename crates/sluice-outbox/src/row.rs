//! Rows of a queue, and the batches in which they are sent.

use std::{fmt::Display, time::Duration};

/// A stored row that is to be sent.
pub(crate) trait Row: Send + Sync + 'static {
    type Id: Ord + Clone + Display + Send + Sync + 'static;
    /// The part of an attempt's result that is stored.
    type Report: Send + Sync + 'static;

    fn id(&self) -> Self::Id;
    /// Attempts that failed.
    fn tries(&self) -> u32;
    /// The size of its content.
    fn bytes(&self) -> usize;
    /// Since when it waits, in epoch milliseconds.
    fn waiting_since(&self) -> i64;
    /// The report of a row that is given up without an attempt.
    fn given_up(reason: String, now_ms: i64) -> Self::Report;
}

/// The rows of one attempt: usually one, and for S3 all rows of one object.
pub(crate) struct Batch<R> {
    pub(crate) rows: Vec<R>,
    /// The receiver, by which circuit breakers are kept. A queue with a single receiver leaves it empty.
    pub(crate) peer: String,
}

impl<R: Row> Batch<R> {
    pub(crate) fn single(row: R, peer: String) -> Batch<R> {
        Batch {
            rows: vec![row],
            peer,
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = R::Id> {
        self.rows.iter().map(Row::id)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.iter().map(Row::bytes).sum()
    }

    pub(crate) fn tries(&self) -> u32 {
        self.rows.iter().map(Row::tries).max().unwrap_or(0)
    }

    /// Since when its newest row waits.
    pub(crate) fn waiting_since(&self) -> i64 {
        let rows = self.rows.iter().map(Row::waiting_since);
        rows.max().unwrap_or(0)
    }
}

/// The result of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome<P> {
    pub(crate) verdict: Verdict,
    pub(crate) report: P,
}

impl<P> Outcome<P> {
    pub(crate) fn sent(report: P) -> Outcome<P> {
        let verdict = Verdict::Sent;
        Outcome { verdict, report }
    }

    pub(crate) fn failed(report: P) -> Outcome<P> {
        let verdict = Verdict::Failed;
        Outcome { verdict, report }
    }

    /// The receiver answered with an error that may pass.
    pub(crate) fn retry(report: P) -> Outcome<P> {
        let verdict = Verdict::Retry {
            after: None,
            receiver_failed: false,
        };
        Outcome { verdict, report }
    }

    /// The receiver did not answer.
    pub(crate) fn no_answer(report: P) -> Outcome<P> {
        let verdict = Verdict::Retry {
            after: None,
            receiver_failed: true,
        };
        Outcome { verdict, report }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Sent,
    /// A retry would not help.
    Failed,
    /// A retry may help, after the pause that the receiver asked for, if any.
    Retry {
        after: Option<Duration>,
        /// Whether it counts as a failure of the receiver, by which its circuit breaker opens.
        receiver_failed: bool,
    },
    /// The receiver wants nothing for this time. It does not count as an attempt.
    Pause(Duration),
    /// The receiver wants nothing any more.
    Gone,
}

/// The next state of a batch, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Sent,
    Failed,
    /// Failed, and the receiver is to be deactivated.
    Gone,
    Retry {
        due_at: i64,
    },
    /// Due as before. It does not count as an attempt.
    StillDue,
    /// Not attempted, and due later.
    Postponed {
        due_at: i64,
    },
}

impl Fate {
    /// Whether the rows remain in the queue.
    pub(crate) fn is_pending(self) -> bool {
        matches!(
            self,
            Fate::Retry { .. } | Fate::StillDue | Fate::Postponed { .. }
        )
    }
}

/// A batch with its next state, to be recorded.
pub(crate) struct Finished<R: Row> {
    pub(crate) batch: Batch<R>,
    pub(crate) fate: Fate,
    pub(crate) tries: u32,
    /// Whether there was an attempt, which has a slot.
    pub(crate) attempted: bool,
    /// None for a batch that was postponed.
    pub(crate) report: Option<R::Report>,
}
