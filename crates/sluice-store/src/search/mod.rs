//! Searches the events, runs and log lines of an emitter, one step at a time: a step reads so little that it holds its thread
//! only for a moment, and a scan ends when its budget is used up.
//!
//! SQL passes over rows that lack a text which every match has. The others are read and compared here.

mod contains;
mod events;
mod json;
mod logs;
mod run_record;
mod runs;
mod scan;
mod step;

use sluice_model::SearchQuery;

pub(crate) use contains::{contains, position};
pub use events::{EventRecord, events};
pub use logs::{LogRecord, logs};
pub use runs::runs;
pub use scan::{Budget, Matches, Range, scan};
pub use step::{Direction, Part, Step};

/// What to search for. Both ends of the time are included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Search {
    pub query: Option<SearchQuery>,
    /// Epoch milliseconds.
    pub since: Option<i64>,
    /// Epoch milliseconds.
    pub until: Option<i64>,
}
