//! Pages of lists that are ordered by creation time and id.

use sluice_model::Cursor;

use crate::value::Value;

/// Part of a list, newest first. A cursor names a position, not a row, so its row may be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    /// Only what follows this position in the list: older rows.
    pub after: Option<Cursor>,
    /// Only what comes just before this position in the list: newer rows.
    pub before: Option<Cursor>,
}

impl Page {
    /// The condition and the order of a query whose parameters are [`Page::params`]. The rows come in either order.
    pub(crate) fn condition(&self) -> String {
        // Only `before` alone is counted from the older end: it asks for the rows nearest to it.
        let nearest_first = if self.before.is_some() && self.after.is_none() {
            "created_at, id"
        } else {
            "created_at DESC, id DESC"
        };
        format!(
            "(created_at, id) < (?2, ?3) AND (created_at, id) > (?4, ?5) ORDER BY {nearest_first}"
        )
    }

    /// `first` and then the bounds of the page as `?2` to `?5` and its limit as `?6`.
    pub(crate) fn params<'a>(&'a self, first: Value<'a>) -> [Value<'a>; 6] {
        let (newest, newest_id) = position(self.after.as_ref(), i64::MAX);
        let (oldest, oldest_id) = position(self.before.as_ref(), i64::MIN);
        [
            first,
            newest.into(),
            newest_id.into(),
            oldest.into(),
            oldest_id.into(),
            self.limit.into(),
        ]
    }
}

fn position(cursor: Option<&Cursor>, unbounded: i64) -> (i64, &str) {
    cursor.map_or((unbounded, ""), |Cursor { at_ms, id }| (*at_ms, id))
}
