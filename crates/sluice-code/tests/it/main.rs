//! Linked files, run by the real Deno.

mod errors;
mod forms;
mod nesting;
mod remote;
mod resolution;
mod stacks;
mod static_shapes;
mod support;
