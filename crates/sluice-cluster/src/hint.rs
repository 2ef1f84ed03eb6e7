//! What nodes tell each other. A hint saves time and is never needed: each has a poll beneath it that finds the same.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_model::{EmitterId, UserId};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// The inbox of an emitter has work, which the node that gets the hint owns or should own.
    Work(EmitterId),
    /// A queue of the outbox has something due, and the node that gets the hint has claimed it.
    Queue(String),
    /// The destination of a queue of the outbox was changed or removed, and the node that gets the hint has claimed the queue.
    QueueChanged(String),
    /// The sender has readers of the events and logs of an emitter.
    Follow(EmitterId),
    /// The sender has readers of the traffic of an account.
    Traffic(UserId),
    /// There are new events of an emitter that the node that gets the hint follows.
    Events(EmitterId),
    /// There are new log lines of an emitter that the node that gets the hint follows.
    Logs(EmitterId),
    /// Accounts or apps were changed: credentials are to be read again.
    Accounts,
    /// The definition of an emitter was changed, or it was removed.
    Definition(EmitterId),
    /// A component was saved with the lock of this hash: the node that gets the hint installs its packages.
    Packages(String),
}

impl Hint {
    /// The hints in a message. Those of a newer version that this one does not know are left out; `None` when it is no message.
    pub fn parse_all(message: &[u8]) -> Option<Vec<Hint>> {
        let hints: Vec<Value> = serde_json::from_slice(message).ok()?;
        let known = hints.into_iter().flat_map(serde_json::from_value);
        Some(known.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_of_a_newer_version_are_left_out() {
        let message = br#"["accounts", {"of_the_next_version": 1}, {"queue": "q"}]"#;
        let known = [Hint::Accounts, Hint::Queue("q".to_owned())];
        assert_eq!(Hint::parse_all(message).as_deref(), Some(&known[..]));
        assert_eq!(Hint::parse_all(b"{}"), None);
    }
}
