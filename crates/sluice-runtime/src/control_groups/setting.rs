//! The control group that the server is to use.

use std::path::PathBuf;

use super::account_limits::AccountLimits;

#[derive(Debug)]
pub struct ControlGroupOptions {
    pub place: GroupPlace,
    pub limits: AccountLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupPlace {
    /// The group that the server runs in. Without groups if it is not delegated to it.
    Delegated,
    /// A group that the operator made.
    Folder(PathBuf),
}
