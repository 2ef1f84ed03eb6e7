//! How much due work one transaction moves.

/// Rows of each kind.
pub(super) const BATCH: u32 = 500;
