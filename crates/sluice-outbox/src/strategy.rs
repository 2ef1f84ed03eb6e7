//! The differences between queues, as values.

use sluice_store::BatchLimit;

/// How a queue is worked off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strategy {
    /// Rows in memory.
    pub(crate) window: BatchLimit,
    pub(crate) refill: Refill,
    /// Attempts under way in one queue.
    pub(crate) concurrency: usize,
    /// Attempts under way to one receiver.
    pub(crate) per_peer: usize,
    pub(crate) slot: Slot,
    pub(crate) slow_peers: SlowPeers,
}

/// When more rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refill {
    /// When the last row is recorded: rows that are due together are seen together.
    WhenEmpty,
    /// As above. While there is a backlog, half of the window is refilled in advance.
    Backlog,
    /// Whenever the window has room.
    Continuous,
}

/// How long an attempt counts as under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Successes are in the journal, so that a kill repeats none of them.
    UntilAnswered,
    /// A kill repeats all attempts that are not recorded, so there are never more than the slots.
    UntilRecorded,
}

/// The handling of rows for a receiver that does not respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlowPeers {
    /// The queue has one receiver: it waits.
    Wait,
    /// They are postponed, so that the rows of other receivers are read.
    Bypass,
}
