//! The state of a process that its tasks share.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    ask::PendingAnswers, channel::Key, inflight::Inflight, kill_reason::KillReason, limits::Limits,
    outcome::ProcessEvent, report_limits::StrayBudget, unstored::Room,
};

pub(super) struct Shared {
    /// Of the messages of its harness.
    pub(super) key: Key,
    pub(super) inflight: Mutex<Inflight>,
    pub(super) room: Room,
    pub(super) strays: Mutex<StrayBudget>,
    pub(super) events: mpsc::Sender<Vec<ProcessEvent>>,
    pub(super) kill: CancellationToken,
    pub(super) limits: Limits,
    pub(super) pending_answers: PendingAnswers,
    /// Set if the supervisor decided to kill the process.
    pub(super) kill_reason: Mutex<Option<KillReason>>,
    /// The last text on standard error.
    pub(super) last_errors: Arc<Mutex<String>>,
}
