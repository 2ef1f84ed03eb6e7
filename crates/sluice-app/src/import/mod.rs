//! Importing trees of components into the registry.

mod app_fields;
mod key_rule;
mod register;
mod service;
mod tree;

pub(crate) use key_rule::KeyRule;
pub use service::Imports;
pub use tree::{ImportOutcome, ImportedComponent, TreePart};
