//! The status of the server.

pub(crate) mod backlogs;
mod service;
mod usage;

pub use backlogs::update as update_backlogs;
pub use service::{MetricsFormat, ProcessView, ServerStatus, ServerView};
pub use usage::ResourceUsage;
