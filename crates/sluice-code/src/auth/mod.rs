//! The credential fields that code reads from `$auth`, and whether it needs them.
//!
//! `reads` finds the reads of one file. `tree` joins the files of a component: an app that spreads another object reads the
//! fields of that object too.

mod app_definition;
mod field_use;
mod file_auth;
mod reads;
mod scope;
mod tree;

pub use field_use::FieldUses;
pub use tree::AuthFields;

pub(crate) use file_auth::FileAuth;
pub(crate) use tree::FileReads;
