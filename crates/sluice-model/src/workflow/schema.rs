//! What editors know about the document.

/// A JSON Schema (2020-12) of the document. What [`parse`](super::parse) takes suits it; what only reading can tell (whether
/// names are unique, a cron expression or an expression makes sense) it leaves out.
pub const SCHEMA: &str = include_str!("workflow.schema.json");
