//! The JSON Schema of the document, for editors.

/// A JSON Schema (2020-12) of the document. It accepts every document that [`parse`](super::parse) accepts. It does not
/// check that names are unique, nor cron expressions or expressions.
pub const SCHEMA: &str = include_str!("workflow.schema.json");
