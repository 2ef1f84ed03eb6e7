//! Handles: the rest of the engine reaches an owner through its mailbox and its control channel.

use std::sync::Arc;

use sluice_model::{EmitterId, InvocationId, SourceId, WorkflowId};
use tokio::sync::{Mutex, mpsc};

use super::{
    lifecycle::{LifecycleLock, SourceControl},
    mailbox::Mailbox,
};
use crate::{error::EngineError, process::Evict};

/// The handle of an owner of either kind.
#[derive(Clone)]
pub enum Owner {
    Source(Arc<SourceHandle>),
    Workflow(Arc<WorkflowHandle>),
}

impl Owner {
    pub fn id(&self) -> &EmitterId {
        match self {
            Owner::Source(handle) => &handle.id,
            Owner::Workflow(handle) => &handle.id,
        }
    }

    /// Another node should have the emitter: the owner finishes what runs and gives it up.
    pub(super) fn hand_over(&self) {
        match self {
            Owner::Source(handle) => drop(handle.controls.send(SourceControl::HandOver)),
            Owner::Workflow(handle) => drop(handle.controls.send(WorkflowControl::HandOver)),
        }
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        match self {
            Owner::Source(handle) => &handle.mailbox,
            Owner::Workflow(handle) => &handle.mailbox,
        }
    }
}

impl Evict for Owner {
    fn evict(&self) {
        match self {
            Owner::Source(handle) => handle.evict(),
            Owner::Workflow(handle) => handle.evict(),
        }
    }
}

pub struct SourceHandle {
    pub id: SourceId,
    pub(crate) mailbox: Mailbox,
    controls: mpsc::UnboundedSender<SourceControl>,
    /// Serializes lifecycle operations on one source.
    lifecycle: Arc<Mutex<()>>,
}

impl SourceHandle {
    pub(crate) fn new(id: SourceId) -> (Arc<SourceHandle>, mpsc::UnboundedReceiver<SourceControl>) {
        let (controls, receiver) = mpsc::unbounded_channel();
        let handle = SourceHandle {
            id,
            mailbox: Mailbox::unread(),
            controls,
            lifecycle: Arc::default(),
        };
        (Arc::new(handle), receiver)
    }

    /// Locks the source for a lifecycle operation; `None` when its owner has just stopped.
    pub async fn lock(self: Arc<Self>) -> Result<Option<LifecycleLock>, EngineError> {
        let guard = Arc::clone(&self.lifecycle).lock_owned().await;
        LifecycleLock::acquire(self.controls.clone(), guard).await
    }

    fn evict(&self) {
        let _ = self.controls.send(SourceControl::Evict);
    }
}

/// Messages to the owner of a workflow.
#[derive(Debug)]
pub(crate) enum WorkflowControl {
    /// The workflow was deployed, activated, deactivated or removed.
    Changed,
    /// A waiting run continues: its row is in the inbox.
    Continue(InvocationId),
    /// Stop idle processes.
    Evict,
    /// Finish what runs and give the workflow up.
    HandOver,
}

pub struct WorkflowHandle {
    pub id: WorkflowId,
    pub(crate) mailbox: Mailbox,
    controls: mpsc::UnboundedSender<WorkflowControl>,
}

impl WorkflowHandle {
    pub(crate) fn new(
        id: WorkflowId,
    ) -> (
        Arc<WorkflowHandle>,
        mpsc::UnboundedReceiver<WorkflowControl>,
    ) {
        let (controls, receiver) = mpsc::unbounded_channel();
        let handle = WorkflowHandle {
            id,
            mailbox: Mailbox::unread(),
            controls,
        };
        (Arc::new(handle), receiver)
    }

    /// Makes the owner read the workflow's definition again.
    pub fn changed(&self) {
        let _ = self.controls.send(WorkflowControl::Changed);
    }

    /// Continues a waiting run ahead of events that have not started.
    pub fn continue_run(&self, run: InvocationId) {
        let _ = self.controls.send(WorkflowControl::Continue(run));
    }

    fn evict(&self) {
        let _ = self.controls.send(WorkflowControl::Evict);
    }
}
