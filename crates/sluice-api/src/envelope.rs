//! The two envelopes of a successful response: one resource, or a page of them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    pub data: T,
}

/// A page of a list, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    pub page_info: PageInfo,
    pub data: Vec<T>,
}

/// The position of a page in its list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageInfo {
    /// The number of items in the whole list. For a search with `q`, `since` or `until`: of the matches in this page.
    pub total_count: u64,
    /// The number of items in this page.
    pub count: u64,
    /// Cursor of the page's first item; null when the page is empty.
    #[schema(required = true)]
    pub start_cursor: Option<String>,
    /// Cursor of the page's last item; null when the page is empty.
    #[schema(required = true)]
    pub end_cursor: Option<String>,
    /// In a search: cursor of the item up to which it has looked. Pass it as `after` to search on, or as `before` if the page was
    /// requested with `before`. Absent when there is nothing beyond. A page may be short, because a request searches for a
    /// limited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub searched_to: Option<String>,
}
