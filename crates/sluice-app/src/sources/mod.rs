//! Sources: create, read, update, delete, run and replay.

mod changed_fields;
mod create;
mod delete;
mod events;
mod plan;
mod replay;
mod requests;
mod service;
mod update;
mod view;

pub use requests::{CreateSource, EventRange, OnHookError, UpdateSource};
pub use service::Sources;
pub use view::SourceView;
