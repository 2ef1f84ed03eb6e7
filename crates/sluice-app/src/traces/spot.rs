//! A part of a trace with a parent and children of its own.

use sluice_model::{DeliveryId, EmitterId, EventAddress, InvocationId};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    /// An invocation of a source, or a run of a workflow.
    Invocation(EmitterId, InvocationId),
    Event(EventAddress),
    Delivery(DeliveryId),
}

impl Spot {
    /// The key of its node.
    pub(super) fn key(&self) -> String {
        match self {
            Spot::Invocation(emitter, id) => format!("{emitter}/{id}"),
            Spot::Event(address) => address.to_string(),
            Spot::Delivery(id) => id.to_string(),
        }
    }
}
