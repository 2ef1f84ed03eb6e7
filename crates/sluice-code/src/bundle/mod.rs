//! Bundling: joins a component's own files into one module, with npm packages left as imports.
//!
//! [`bundle`] follows the imports of a component through its [`Files`]: a folder tree ([`LocalFiles`]), URLs
//! ([`RemoteFiles`]) or files of a request ([`MemoryFiles`]). The result is plain JavaScript, an ES module or CommonJS like the
//! first file, that runs wherever its packages can be resolved by name. The bundler `rolldown` does the joining. The code
//! here resolves imports, enforces limits and reports errors for the author.

mod error;
mod file_text;
mod files;
mod graph;
mod import_target;
mod join;
mod local_files;
mod location;
mod memory_files;
mod plugin;
mod prelude;
mod remote_files;
mod resolve;
mod source;
mod threads;
mod tree_root;

pub use files::{FileError, Files};
pub use graph::Limits;
pub use join::{Bundle, BundleOptions, SourceMap, bundle};
pub use local_files::LocalFiles;
pub use location::Location;
pub use memory_files::MemoryFiles;
pub use remote_files::RemoteFiles;
