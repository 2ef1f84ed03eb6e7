//! The owner of a workflow.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{WorkflowHandle, handle::Control};
use crate::{context::Context, owners::Owner};

pub(crate) struct Actor;

impl Actor {
    pub(crate) async fn run(
        context: Arc<Context>,
        handle: Arc<WorkflowHandle>,
        _controls: mpsc::UnboundedReceiver<Control>,
    ) {
        handle.mailbox.close();
        context.owners.release(&Owner::Workflow(handle));
    }
}
