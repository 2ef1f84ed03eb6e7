//! What to search for.

use sluice_model::SearchQuery;

/// Both ends of the time are included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Search {
    pub query: Option<SearchQuery>,
    /// Epoch milliseconds.
    pub since: Option<i64>,
    /// Epoch milliseconds.
    pub until: Option<i64>,
}
