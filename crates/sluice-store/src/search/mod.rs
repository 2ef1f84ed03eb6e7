//! Searches the events, runs and log lines of an emitter, one step at a time: a step reads so little that it holds its thread
//! only for a moment, and a scan ends when its budget is used up.
//!
//! SQL passes over rows that lack a text which every match has. The others are read and compared here.

mod contains;
mod criteria;
mod events;
mod json;
mod logs;
mod run_record;
mod runs;
mod scan;
mod step;

pub(crate) use contains::{contains, position};
pub use criteria::Search;
pub use events::{EventRecord, events};
pub use logs::{LogRecord, logs};
pub use runs::runs;
pub use scan::{Budget, Matches, Range, scan};
pub use step::{Direction, Part, Step};
