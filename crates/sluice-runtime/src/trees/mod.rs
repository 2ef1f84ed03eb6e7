//! Folders that component code filled. Their depth, names, links and permissions are hostile, so they are opened one level
//! at a time, by directory handles, and never by recursion.

mod measure;
mod open;
mod remove;
mod remover;
mod write;

pub(crate) use measure::{Measured, measure};
pub(crate) use open::open_path;
pub(crate) use remover::Remover;
pub(crate) use write::write_file;
