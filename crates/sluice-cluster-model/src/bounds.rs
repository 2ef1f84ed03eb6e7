//! The size of the model.

/// Limits that make the model finite.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub nodes: u8,
    /// At most eight.
    pub requests: u8,
    /// The number of faults, of any kind: a crash, an expired lease of a running node, a slow claim, a lost message, a lost
    /// reply, a commit that is sent again while it is still on its way, a hand-over.
    pub faults: u8,
}
