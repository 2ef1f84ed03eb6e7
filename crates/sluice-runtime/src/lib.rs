//! Running people's code: analysis of a component, sandboxed Deno processes, and the pipe to them.
//!
//! This crate knows no database. It is handed invocations and hands back outcomes; whatever a process
//! does to itself (crash, hang, garbage on the pipe) ends as an [`ProcessEvent`], never as a panic here.

mod analysis;
mod assets;
mod deno;
mod inflight;
pub mod launcher;
mod limits;
mod lines;
mod outcome;
mod process;
mod protocol;
mod runtime;
mod sandbox;
mod verdict;
mod watchdog;

pub use analysis::{CodeFault, module_format};
pub use deno::{DENO_VERSION, DenoError, find_deno};
pub use limits::Limits;
pub use outcome::{
    Call, Emit, Failure, Invocation, LogLevel, LogLine, Outcome, ProcessEvent, Reply, Unfinished,
    Writes,
};
pub use process::{Process, ProcessEvents};
pub use runtime::{BindingKind, LoadError, ProcessSpec, PropBinding, Runtime, RuntimeOptions};
pub use sandbox::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};
