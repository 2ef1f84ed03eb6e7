//! One page of a list.

/// The rows of a page, and how many rows the whole list has.
pub struct Listing<T> {
    pub total: u64,
    pub rows: Vec<T>,
}
