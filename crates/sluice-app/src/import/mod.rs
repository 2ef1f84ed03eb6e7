//! Importing trees of components into the registry.

mod app_fields;
mod register;
mod service;
mod tree;

pub use service::Imports;
pub use tree::{ImportOutcome, ImportedComponent, TreePart};
