//! The results of one program.

use serde::Serialize;

use super::{survival::Survival, work::Work};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Results {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    /// One for each number of connections.
    pub(crate) work: Vec<Work>,
    pub(crate) survival: Survival,
}
