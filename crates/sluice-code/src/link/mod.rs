//! Linking: finds the files of a component, with npm packages left as imports.
//!
//! [`link`] follows the imports of a component through its [`Files`]: a folder tree ([`LocalFiles`]), URLs
//! ([`RemoteFiles`]) or files of a request ([`MemoryFiles`]). It resolves imports, enforces limits and reports errors for
//! the author.

mod error;
mod files;
mod graph;
mod import_target;
#[expect(
    clippy::module_inception,
    reason = "the folder has the name of its function"
)]
mod link;
mod local_files;
mod manifest;
mod memory_files;
mod remote_files;
mod resolve;
mod tree_root;

pub use files::{FileError, Files};
pub use graph::Limits;
pub use link::{LinkOptions, Linker, link};
pub use local_files::LocalFiles;
pub use memory_files::MemoryFiles;
pub use remote_files::RemoteFiles;
