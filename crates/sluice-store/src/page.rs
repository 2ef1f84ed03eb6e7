//! Pages of lists that are ordered by creation time and id.

use sluice_model::Cursor;

use crate::value::Value;

/// Part of a list, newest first. A cursor names a position, not a row, so its row may be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    /// Only rows after this position in the list: older ones.
    pub after: Option<Cursor>,
    /// Only rows just before this position in the list: newer ones.
    pub before: Option<Cursor>,
}

impl Page {
    /// This part of a whole list, newest first, whose rows have these positions.
    pub fn of<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> (i64, &str)) -> Vec<T> {
        let (newest, oldest) = self.bounds();
        rows.retain(|row| position(row) < newest && position(row) > oldest);
        let limit = self.limit as usize;
        if self.is_from_the_older_end() {
            rows.drain(..rows.len().saturating_sub(limit));
        } else {
            rows.truncate(limit);
        }
        rows
    }

    /// The condition and the order of a query whose parameters are [`Page::params`]. The rows come in either order.
    pub(crate) fn condition(&self) -> String {
        condition(self.is_from_the_older_end())
    }

    /// `first` and then the bounds of the page as `?2` to `?5` and its limit as `?6`.
    pub(crate) fn params<'a>(&'a self, first: Value<'a>) -> [Value<'a>; 6] {
        let ((newest, newest_id), (oldest, oldest_id)) = self.bounds();
        [
            first,
            newest.into(),
            newest_id.into(),
            oldest.into(),
            oldest_id.into(),
            self.limit.into(),
        ]
    }

    /// This page of the rows whose time is from `since` to `until`, wherever they are read from.
    pub(crate) fn span(&self, since: Option<i64>, until: Option<i64>) -> Span {
        let (newest, oldest) = self.bounds();
        let since = since.map_or(oldest, |since| oldest.max((since, "")));
        let until = until.map_or(newest, |until| newest.min((until.saturating_add(1), "")));
        let cursor = |(at_ms, id): (i64, &str)| Cursor {
            at_ms,
            id: id.to_owned(),
        };
        Span {
            below: cursor(until),
            above: cursor(since),
            oldest_first: self.is_from_the_older_end(),
            limit: self.limit,
        }
    }

    /// Only `before` alone is counted from the older end: it asks for the rows nearest to it.
    fn is_from_the_older_end(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// The positions that its rows are between.
    fn bounds(&self) -> ((i64, &str), (i64, &str)) {
        (
            position(self.after.as_ref(), i64::MAX),
            position(self.before.as_ref(), i64::MIN),
        )
    }
}

/// Where the rows of a page may be, and from which end they are counted.
pub(crate) struct Span {
    below: Cursor,
    above: Cursor,
    oldest_first: bool,
    limit: u32,
}

impl Span {
    /// Only rows before this position, from the end that it is counted from.
    pub(crate) fn short_of(self, at_ms: i64, id: &str) -> Span {
        let place = Cursor {
            at_ms,
            id: id.to_owned(),
        };
        if self.oldest_first {
            Span {
                below: place,
                ..self
            }
        } else {
            Span {
                above: place,
                ..self
            }
        }
    }

    /// As [`Page::condition`], with the parameters of [`Span::params`].
    pub(crate) fn condition(&self) -> String {
        condition(self.oldest_first)
    }

    /// The order of [`Span::condition`] alone.
    pub(crate) fn order(&self) -> &'static str {
        nearest_first(self.oldest_first)
    }

    /// As [`Page::params`].
    pub(crate) fn params<'a>(&'a self, first: Value<'a>) -> [Value<'a>; 6] {
        let Span {
            below,
            above,
            oldest_first: _,
            limit,
        } = self;
        [
            first,
            below.at_ms.into(),
            (&below.id).into(),
            above.at_ms.into(),
            (&above.id).into(),
            (*limit).into(),
        ]
    }
}

fn condition(oldest_first: bool) -> String {
    format!(
        "(created_at, id) < (?2, ?3) AND (created_at, id) > (?4, ?5) ORDER BY {}",
        nearest_first(oldest_first)
    )
}

fn nearest_first(oldest_first: bool) -> &'static str {
    if oldest_first {
        "created_at, id"
    } else {
        "created_at DESC, id DESC"
    }
}

fn position(cursor: Option<&Cursor>, unbounded: i64) -> (i64, &str) {
    cursor.map_or((unbounded, ""), |Cursor { at_ms, id }| (*at_ms, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_whole_list_is_what_is_nearest_to_its_cursor() {
        let page = |limit, after: Option<i64>, before: Option<i64>| {
            let cursor = |at_ms: i64| Cursor {
                at_ms,
                id: "m".to_owned(),
            };
            let page = Page {
                limit,
                after: after.map(cursor),
                before: before.map(cursor),
            };
            let rows = vec![(5, "m"), (4, "z"), (4, "a"), (3, "m"), (2, "m")];
            page.of(rows, |row| *row)
        };
        assert_eq!(page(2, None, None), [(5, "m"), (4, "z")]);
        assert_eq!(page(2, Some(4), None), [(4, "a"), (3, "m")]);
        assert_eq!(page(9, Some(3), None), [(2, "m")]);
        assert_eq!(page(2, None, Some(3)), [(4, "z"), (4, "a")]);
        assert_eq!(page(9, None, Some(4)), [(5, "m"), (4, "z")]);
        assert_eq!(page(9, Some(2), None), []);
    }
}
