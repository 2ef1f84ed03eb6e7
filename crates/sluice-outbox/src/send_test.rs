//! One attempt to send something that is not stored, for a user who waits for the result.

use sluice_store::sends::SendRow;

use crate::{
    outbox::Outbox,
    row::{Outcome, Verdict},
};

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    pub sent: bool,
    /// The answer of the receiver, or the error.
    pub result: String,
}

impl Outbox {
    /// Makes one attempt at once. `None` when too many attempts that users asked for are under way.
    pub async fn try_send(&self, row: SendRow) -> Option<SendResult> {
        let sends = &self.dispatcher.sends;
        let _permit = sends.requested.try_acquire().ok()?;
        let sender = sends.senders.of(row.kind);
        let Outcome { verdict, report } = sender.attempt(&mut [row]).await;
        Some(SendResult {
            sent: verdict == Verdict::Sent,
            result: report,
        })
    }
}
