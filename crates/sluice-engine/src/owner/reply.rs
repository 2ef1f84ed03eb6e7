//! The reply of a component to a client that waits for `respond`.

use sluice_runtime::Reply;
use tokio::sync::oneshot;

/// Why a client that waits for `respond` gets no reply from the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReply {
    EndedWithoutRespond(String),
    TimedOut,
    /// The source or the server is gone.
    Gone,
}

pub(crate) type ReplySender = oneshot::Sender<Result<Reply, NoReply>>;
