//! Commits: the outcome of invocations becomes rows, and one transaction writes them.
//!
//! [`builder`] holds what sources and workflows share, [`source`] and [`workflow`] turn their outcomes into a
//! [`batch::Batch`], [`write`] is the only place that writes one, and [`committer`] retries until it is durable.

pub(crate) mod batch;
pub(crate) mod builder;
pub(crate) mod committer;
mod error_event;
pub mod progress;
mod rejected;
pub(crate) mod request_sample;
#[cfg(test)]
mod round_trips;
pub(crate) mod source;
pub(crate) mod streak;
pub(crate) mod workflow;
mod write;

pub use error_event::iso;
pub use streak::MAX_THRESHOLD;
