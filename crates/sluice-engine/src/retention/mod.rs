//! Retention: events, log lines and runs are deleted beyond a count or an age, beside the work that stores them.

mod limits;
mod prune;
pub(crate) mod roll_up;
mod row_budget;
mod runs;
mod schedule;
pub(crate) mod sweep;

pub(crate) use limits::max_events;
pub(crate) use prune::prune_events_up_to;
pub use schedule::Retention;
pub(crate) use schedule::{PruneSchedule, Stored};
pub use sweep::ACTIVITY_HOURS;
