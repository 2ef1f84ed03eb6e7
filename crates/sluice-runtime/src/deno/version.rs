//! The version of Deno.

/// The version Sluice is built and tested with.
pub const DENO_VERSION: &str = "2.9.6";
