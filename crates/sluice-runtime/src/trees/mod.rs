//! Folders that component code filled. Their depth, names and permissions are hostile, so they are opened one level at a
//! time, by directory handles, and never by recursion.

mod measure;
mod open;
mod remove;
mod remover;

pub(crate) use measure::{Measured, measure};
pub(crate) use remover::Remover;
