//! An inbox row in memory.

use std::sync::Arc;

use sluice_model::{EventAddress, InvocationId, TraceContext};
use sluice_store::inbox::{InboxItem, InboxKind};

/// One accepted invocation.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) id: InvocationId,
    pub(crate) kind: InboxKind,
    /// The interface prop that received it. For an event, its address.
    pub(crate) prop: Option<Arc<str>>,
    pub(crate) event: Arc<str>,
    pub(crate) attempts: u32,
    /// Epoch milliseconds of acceptance; for a tick, its due time.
    pub(crate) accepted_at: i64,
    /// Length of the chain of events that caused it.
    pub(crate) depth: u32,
    /// For a tick, when it first went to a process, in epoch milliseconds.
    pub(crate) dispatched_at: Option<i64>,
    /// The span that caused it; when the invocation has ended, its own span.
    pub(crate) trace: Option<TraceContext>,
}

impl Work {
    /// The event that caused it, if it was one.
    pub(crate) fn cause(&self) -> Option<EventAddress> {
        let address = self.prop.as_deref();
        let address = address.filter(|_| self.kind == InboxKind::Event)?;
        EventAddress::parse(address)
    }

    /// Its process has died. Invocations that shared a dead process run alone from then on, also after a restart, so
    /// that only the one that kills its process uses up its attempts.
    pub(crate) fn is_suspect(&self) -> bool {
        self.attempts > 0
    }
}

impl From<InboxItem> for Work {
    fn from(item: InboxItem) -> Work {
        let InboxItem {
            id,
            kind,
            prop,
            payload,
            attempts,
            accepted_at,
            depth,
            reply_to: _,
            trace,
        } = item;
        Work {
            id,
            kind,
            prop: prop.map(Arc::from),
            event: Arc::from(payload),
            attempts,
            accepted_at,
            depth,
            dispatched_at: None,
            trace,
        }
    }
}
