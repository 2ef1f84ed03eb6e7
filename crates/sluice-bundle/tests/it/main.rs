//! Bundles of real files, run by the real Deno.

mod forms;
mod support;
