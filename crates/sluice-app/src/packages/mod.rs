//! npm packages of all components on this node: installed ahead of need, stored for other nodes, and removed when nothing uses
//! them.

mod archives;
mod failures;
mod in_use;
mod sweep;
mod sync;

pub(crate) use archives::StoredArchives;
pub(crate) use sweep::run as remove_unused;
pub(crate) use sync::PackageSync;
