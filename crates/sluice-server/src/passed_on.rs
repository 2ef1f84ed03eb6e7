//! The mark of a request that came from another node.

/// Another node passed the request on, so many times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedOn(pub(crate) u8);
