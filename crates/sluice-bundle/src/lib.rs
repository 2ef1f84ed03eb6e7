//! Joining a component's own files into one module, with npm packages left as imports.
//!
//! [`bundle`] follows the imports of a component through its [`Files`]: a folder tree ([`LocalFiles`]), addresses
//! ([`RemoteFiles`]) or what came with a request ([`GivenFiles`]). What it makes is plain JavaScript, an ES module or CommonJS as the first file is, that runs wherever
//! its packages can be found by name. The joining itself is the work of the bundler `rolldown`; this crate decides which
//! file an import means, what stays for npm, how much is too much, and how a mistake is told to its author.

mod bundle;
mod fault;
mod files;
mod given;
mod graph;
mod inline_map;
mod local;
mod location;
mod nesting;
mod plugin;
mod prelude;
mod remote;
mod resolve;
mod source;
mod specifier;
mod threads;
mod tree;

pub use bundle::{Bundle, BundleOptions, SourceMap, bundle};
pub use fault::BundleFault;
pub use files::{FileError, Files};
pub use given::GivenFiles;
pub use graph::Limits;
pub use inline_map::{with_inline_map, without_inline_map};
pub use local::LocalFiles;
pub use location::Location;
pub use remote::RemoteFiles;
