//! Scratch of the durability helper: removed when done.
#[path = "it/durability/mod.rs"]
mod durability;
#[path = "it/support.rs"]
mod support;
