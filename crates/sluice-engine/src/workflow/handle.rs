//! What the rest of the engine holds of a live workflow.

use std::sync::Arc;

use sluice_model::{InvocationId, WorkflowId};
use tokio::sync::mpsc;

use crate::mailbox::Mailbox;

/// What an owner is told.
#[derive(Debug)]
pub(crate) enum Control {
    /// The workflow was deployed, switched on or off, or removed.
    Changed,
    /// A run goes on: its row is in the inbox.
    Continue(InvocationId),
    /// To give its process up when it is idle.
    Evict,
}

pub(crate) struct WorkflowHandle {
    pub(crate) id: WorkflowId,
    pub(crate) mailbox: Mailbox,
    controls: mpsc::UnboundedSender<Control>,
}

impl WorkflowHandle {
    pub(crate) fn new(id: WorkflowId) -> (Arc<WorkflowHandle>, mpsc::UnboundedReceiver<Control>) {
        let (controls, receiver) = mpsc::unbounded_channel();
        let handle = WorkflowHandle {
            id,
            mailbox: Mailbox::unread(),
            controls,
        };
        (Arc::new(handle), receiver)
    }

    /// Tells the owner that the workflow is not what it was.
    pub(crate) fn changed(&self) {
        let _ = self.controls.send(Control::Changed);
    }

    /// Tells the owner of a run that goes on. It need not wait behind those that have not begun.
    pub(crate) fn continue_with(&self, run: InvocationId) {
        let _ = self.controls.send(Control::Continue(run));
    }

    pub(crate) fn evict(&self) {
        let _ = self.controls.send(Control::Evict);
    }
}
