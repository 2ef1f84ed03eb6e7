//! Workflows: documents, versions, runs, and what people do with them.

pub(crate) mod fixtures;
mod manage;
