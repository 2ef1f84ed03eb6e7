//! Importing trees of components into the registry: an archive is unpacked (`archive`), its components are found (`checkout`,
//! `plan`) and read in batches (`linking`, `batches`), inspected (`inspection`), and registered (`register`) or only checked
//! (`check`). The changes of the last import of a tree can be undone (`undo`).

mod app_fields;
mod archive;
mod archive_files;
mod batches;
mod check;
mod checkout;
mod file_cache;
mod inspection;
mod key_rule;
mod linking;
mod local_checkout;
mod plan;
mod recording;
mod register;
mod run;
mod service;
mod tree;
mod tree_files;
mod undo;

pub use archive::is_source;
pub use checkout::CheckoutError;
pub(crate) use key_rule::KeyRule;
pub(crate) use linking::link_texts;
pub use local_checkout::LocalCheckout;
pub(crate) use register::Part;
pub use run::{ImportMode, ImportRequest, UnpackedTree};
pub use service::Imports;
pub use tree::{
    AppField, CheckedApp, ComponentDetails, FieldUse, ImportOutcome, ImportProgress,
    ImportedComponent, RemovedFile,
};
pub use undo::Undone;
