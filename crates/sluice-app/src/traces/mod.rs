//! Traces: the tree from a cause to all its effects, from any id in it.
//!
//! `find` turns an id into a spot, `climb` goes from there up to the root, and `tree` goes down again.

mod climb;
mod delivery;
mod find;
mod node;
mod run;
mod service;
mod source;
mod spot;
mod tree;
mod visit;

pub use node::{Trace, TraceKind, TraceNode, TraceStatus};
pub use service::{TraceQuery, Traces};
