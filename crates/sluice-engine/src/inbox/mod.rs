//! The inbox: accepted work is durable in the store before anyone is told so.

mod writer;

pub use writer::{Inbox, NewUpload};
