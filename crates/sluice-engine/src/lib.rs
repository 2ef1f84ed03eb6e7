//! The path of an event: accept, inbox, owner, process, commit, route; with timers, streams and retention along it.

pub mod accept;
mod commit;
mod disk_quota;
mod due_times;
mod engine;
mod error;
mod hints;
pub mod inbox;
mod new_locks;
pub mod owner;
pub mod process;
mod quotas;
mod retention;
pub mod route;
pub mod secrets;
mod spans;
pub mod state;
pub mod streams;
mod tick_health;
pub mod timers;
mod work;

pub use commit::{MAX_THRESHOLD, iso, progress};
pub use disk_quota::DiskQuotas;
pub use due_times::DueTimes;
pub use engine::{Engine, drain};
pub use error::EngineError;
pub use new_locks::{NewLock, NewLocks};
pub use owner::{Ownership, Stay};
pub use quotas::Quotas;
pub use retention::{ACTIVITY_HOURS, Retention};
pub use tick_health::LATE;
