//! The inbox: work that is stored before its client is told so.

mod batches;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod inbox;
mod own;
mod rows;
mod shared;
pub(crate) mod sweep;

pub use inbox::Inbox;
pub(crate) use inbox::{NewWork, Refusal};
pub use rows::NewUpload;
pub(crate) use rows::insert_direct;
