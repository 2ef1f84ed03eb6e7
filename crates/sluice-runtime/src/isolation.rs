//! The setting that decides which sources share a process.

/// The sources that may share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// None.
    Process,
    /// Those of one account with the same code.
    Component,
    /// All of one account, for operators who trust all its code.
    Account,
}
