//! The inbox: work that is stored before its client is told so.

pub(crate) mod sweep;
mod writer;

pub(crate) use writer::insert_direct;
pub use writer::{Inbox, NewUpload};
