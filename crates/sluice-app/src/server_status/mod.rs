//! The status of the server.

mod service;
mod usage;

pub use service::{ProcessView, ServerStatus, ServerView};
pub use usage::ResourceUsage;
