//! The stored definition and state of sources and workflows, as their owners hold them in memory.

mod definition;
mod kv;

pub use definition::{Definition, Memory, packages_of};
pub use kv::KvState;
