//! The audit log: the authors of changes, and the entries that are written in the transactions of the changes.

mod actor;
mod change;
mod failed_sign_ins;
mod log;
mod pruning;

pub use actor::Actor;
pub(crate) use change::{Change, Target};
pub(crate) use failed_sign_ins::FailedSignIns;
pub use log::AuditLog;
pub(crate) use pruning::prune;
