//! What the rest of the engine holds of a live source.

use std::sync::Arc;

use sluice_model::SourceId;
use tokio::sync::{Mutex, mpsc};

use super::{Engagement, engagement::Control};
use crate::mailbox::Mailbox;

pub(crate) struct SourceHandle {
    pub(crate) id: SourceId,
    pub(crate) mailbox: Mailbox,
    controls: mpsc::UnboundedSender<Control>,
    /// Lifecycle operations on one source come one after another.
    lifecycle: Arc<Mutex<()>>,
}

impl SourceHandle {
    pub(crate) fn new(id: SourceId) -> (Arc<SourceHandle>, mpsc::UnboundedReceiver<Control>) {
        let (controls, receiver) = mpsc::unbounded_channel();
        let handle = SourceHandle {
            id,
            mailbox: Mailbox::unread(),
            controls,
            lifecycle: Arc::default(),
        };
        (Arc::new(handle), receiver)
    }

    /// Takes the source in hand for a lifecycle operation; `None` when its owner has just let go of it.
    pub(crate) async fn engage(self: Arc<Self>) -> Option<Engagement> {
        let turn = Arc::clone(&self.lifecycle).lock_owned().await;
        Engagement::begin(self.controls.clone(), turn).await
    }

    /// Asks an idle source to give its process up.
    pub(crate) fn evict(&self) {
        let _ = self.controls.send(Control::Evict);
    }
}
