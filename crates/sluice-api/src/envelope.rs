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
    /// The number of items in the whole list.
    pub total_count: u64,
    /// The number of items in this page.
    pub count: u64,
    /// Cursor of the page's first item; null when the page is empty.
    #[schema(required = true)]
    pub start_cursor: Option<String>,
    /// Cursor of the page's last item; null when the page is empty.
    #[schema(required = true)]
    pub end_cursor: Option<String>,
}
