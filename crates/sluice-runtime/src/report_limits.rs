//! The limits on what a process reports: the server keeps it in memory until it is committed.
//!
//! The harness enforces the limits of an invocation first, with errors that name the cause. A component that got past
//! the harness meets these.

use std::time::{Duration, Instant};

use crate::{
    limits::Limits,
    outcome::{Emit, LogLine, Writes},
    reply::Reply,
    step::Send,
};

/// The memory that a message takes beside its texts.
const MESSAGE_BYTES: usize = 128;
/// The number of events, exports and sends of one invocation, and of its log lines. The harness has the same limits.
const MAX_MESSAGES: usize = 100_000;
const MAX_LINES: usize = 50_000;
/// A response, as JSON. The harness refuses longer ones.
pub(crate) const MAX_REPLY: usize = 32 * 1024 * 1024;
/// A line beside its longest text.
const LINE_OVERHEAD: usize = 4 * 1024 * 1024;
/// The stray lines of a process may take the space of one invocation in this time.
const STRAY_PERIOD: Duration = Duration::from_secs(10);

/// In bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportLimits {
    /// Events, exports and sends of one invocation.
    pub(crate) effects: usize,
    pub(crate) logs: usize,
    pub(crate) writes: usize,
    /// All running invocations of a process together. Beyond it they run again one at a time.
    pub(crate) together: usize,
}

impl ReportLimits {
    pub(crate) fn of(limits: &Limits) -> ReportLimits {
        // The harness does not count the metadata of events.
        let effects = limits
            .emits_bytes
            .saturating_mul(2)
            .saturating_add(MAX_MESSAGES * MESSAGE_BYTES);
        let writes = limits.db_bytes.saturating_mul(2);
        ReportLimits {
            effects,
            logs: log_texts(limits).saturating_add(MAX_LINES * MESSAGE_BYTES),
            writes,
            together: effects.saturating_add(writes),
        }
    }
}

/// The length of the longest line of the harness.
pub(crate) fn longest_line(limits: &Limits) -> usize {
    let texts = [
        MAX_REPLY,
        limits.emit_bytes,
        limits.db_bytes,
        limits.data_store_value_bytes,
        limits.log_bytes,
    ];
    // A text as a part of JSON can take several times its size.
    let longest = texts.into_iter().max().unwrap_or_default();
    longest.saturating_mul(2).saturating_add(LINE_OVERHEAD)
}

/// The harness counts them in UTF-16.
fn log_texts(limits: &Limits) -> usize {
    limits.log_bytes.saturating_mul(4)
}

/// The size of something that a process reported.
pub(crate) trait Reported {
    fn bytes(&self) -> usize;
}

impl Reported for Emit {
    fn bytes(&self) -> usize {
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        MESSAGE_BYTES
            + self.data.get().len()
            + self.channel.len()
            + self.id.as_text().map_or(0, str::len)
            + optional(&self.summary)
    }
}

impl Reported for Send {
    fn bytes(&self) -> usize {
        MESSAGE_BYTES + self.payload.get().len()
    }
}

impl Reported for Reply {
    fn bytes(&self) -> usize {
        let header = |(name, value): &(String, String)| MESSAGE_BYTES + name.len() + value.len();
        MESSAGE_BYTES + self.body.len() + self.headers.iter().map(header).sum::<usize>()
    }
}

impl Reported for LogLine {
    fn bytes(&self) -> usize {
        MESSAGE_BYTES + self.kind.len() + self.message.len()
    }
}

impl Reported for Writes {
    fn bytes(&self) -> usize {
        let row = |(key, value): &(String, Option<Box<_>>)| write_bytes(key, value.as_deref());
        self.iter().map(row).sum()
    }
}

/// The size of the inputs of a step.
pub(crate) fn inputs_bytes(inputs: &serde_json::value::RawValue) -> usize {
    MESSAGE_BYTES + inputs.get().len()
}

/// The size of one export of a step.
pub(crate) fn export_bytes(name: &str, value: &serde_json::value::RawValue) -> usize {
    MESSAGE_BYTES + name.len() + value.get().len()
}

/// The size of one write.
pub(crate) fn write_bytes(key: &str, value: Option<&serde_json::value::RawValue>) -> usize {
    MESSAGE_BYTES + key.len() + value.map_or(0, |value| value.get().len())
}

/// Limits the log lines that belong to no running invocation. Those beyond are dropped.
pub(crate) struct StrayBudget {
    limit: usize,
    left: usize,
    renewed_at: Instant,
}

impl StrayBudget {
    pub(crate) fn new(limits: &Limits, now: Instant) -> StrayBudget {
        StrayBudget::of_bytes(log_texts(limits), now)
    }

    pub(crate) fn of_bytes(limit: usize, now: Instant) -> StrayBudget {
        StrayBudget {
            limit,
            left: limit,
            renewed_at: now,
        }
    }

    /// Whether the line may be kept.
    pub(crate) fn take(&mut self, line: &LogLine, now: Instant) -> bool {
        self.take_bytes(line.bytes(), now)
    }

    pub(crate) fn take_bytes(&mut self, bytes: usize, now: Instant) -> bool {
        if now.duration_since(self.renewed_at) >= STRAY_PERIOD {
            (self.left, self.renewed_at) = (self.limit, now);
        }
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::LogLevel;

    #[test]
    fn stray_lines_beyond_the_budget_are_dropped_until_it_is_renewed() {
        let start = Instant::now();
        let mut budget = StrayBudget {
            limit: 1000,
            left: 1000,
            renewed_at: start,
        };
        let line = LogLine {
            ts: 0,
            kind: "log".to_owned(),
            level: LogLevel::Info,
            message: "x".repeat(300),
        };
        let kept =
            |budget: &mut StrayBudget, now| (0..9).filter(|_| budget.take(&line, now)).count();
        assert_eq!(kept(&mut budget, start), 2);
        assert_eq!(kept(&mut budget, start + STRAY_PERIOD / 2), 0);
        assert_eq!(kept(&mut budget, start + STRAY_PERIOD), 2);
    }
}
