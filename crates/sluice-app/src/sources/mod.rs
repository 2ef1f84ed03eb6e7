//! Sources: create, read, update, roll back, delete, run and replay.

mod apply;
mod changed_fields;
mod create;
mod delete;
mod events;
mod plan;
mod replay;
mod requests;
mod service;
mod update;
mod versions;
mod view;

pub use requests::{CreateSource, EventRange, OnHookError, UpdateSource};
pub use service::Sources;
pub use versions::{SourceVersionView, WholeSourceVersionView};
pub use view::SourceView;
