//! The pages of lists: the parameters of a request and the envelope of a response.

use sluice_api::{List, PageInfo, PageQuery};
use sluice_model::Cursor;
use sluice_store::Page;

use crate::error::ApiError;

const DEFAULT_LIMIT: u32 = 10;
const MAX_LIMIT: u32 = 100;

/// A page of a list with cursors of type `C`. At most one cursor is present.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageRequest<C> {
    pub(crate) limit: u32,
    pub(crate) after: Option<C>,
    pub(crate) before: Option<C>,
}

impl<C> PageRequest<C> {
    /// Checks the parameters. `parse_cursor` returns `None` for text that is not a cursor of this list.
    pub(crate) fn parse(
        query: &PageQuery,
        parse_cursor: impl Fn(&str) -> Option<C>,
    ) -> Result<Self, ApiError> {
        let cursor = |name: &str, text: Option<&str>| {
            text.map(|text| {
                parse_cursor(text).ok_or_else(|| {
                    ApiError::BadRequest(format!("{name} is not a cursor of this list"))
                })
            })
            .transpose()
        };
        let after = cursor("after", query.after.as_deref())?;
        let before = cursor("before", query.before.as_deref())?;
        if after.is_some() && before.is_some() {
            return Err(ApiError::bad_request("give after or before, not both"));
        }
        Ok(PageRequest {
            limit: parse_limit("limit", query.limit.as_deref())?,
            after,
            before,
        })
    }

    /// Whether this is the first page.
    pub(crate) fn is_first(&self) -> bool {
        self.after.is_none() && self.before.is_none()
    }
}

impl From<PageRequest<Cursor>> for Page {
    fn from(request: PageRequest<Cursor>) -> Page {
        let PageRequest {
            limit,
            after,
            before,
        } = request;
        Page {
            limit,
            after,
            before,
        }
    }
}

/// The cursor of a row in a list ordered by age.
pub(crate) fn cursor(at_ms: i64, id: &str) -> String {
    let id = id.to_owned();
    Cursor { at_ms, id }.encode()
}

pub(crate) fn parse_limit(name: &str, text: Option<&str>) -> Result<u32, ApiError> {
    parse_limit_of(name, text, DEFAULT_LIMIT, MAX_LIMIT)
}

/// A number above `max` counts as `max`.
pub(crate) fn parse_limit_of(
    name: &str,
    text: Option<&str>,
    default: u32,
    max: u32,
) -> Result<u32, ApiError> {
    let Some(text) = text else {
        return Ok(default);
    };
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number too large for the type is above the maximum, too.
    let limit = text.parse().unwrap_or(max).min(max);
    if is_number && limit > 0 {
        Ok(limit)
    } else {
        Err(ApiError::BadRequest(format!(
            "{name} must be a number, at least 1"
        )))
    }
}

/// Wraps the rows of a page. `cursor_of` returns the cursor of a row.
pub(crate) fn list<T>(total: u64, rows: Vec<T>, cursor_of: impl Fn(&T) -> String) -> List<T> {
    List {
        page_info: PageInfo {
            total_count: total,
            count: rows.len() as u64,
            start_cursor: rows.first().map(&cursor_of),
            end_cursor: rows.last().map(&cursor_of),
            searched_to: None,
        },
        data: rows,
    }
}

/// Wraps the matches of a search, which has looked at the items up to `searched_to`.
pub(crate) fn matches<T>(
    rows: Vec<T>,
    searched_to: Option<String>,
    cursor_of: impl Fn(&T) -> String,
) -> List<T> {
    let mut list = list(rows.len() as u64, rows, cursor_of);
    list.page_info.searched_to = searched_to;
    list
}

/// Wraps the rows of a page for clients that take a cursor for the promise of another page.
pub(crate) fn list_without_cursors<T>(total: u64, rows: Vec<T>) -> List<T> {
    List {
        page_info: PageInfo {
            total_count: total,
            count: rows.len() as u64,
            start_cursor: None,
            end_cursor: None,
            searched_to: None,
        },
        data: rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(
        limit: Option<&str>,
        after: Option<&str>,
        before: Option<&str>,
    ) -> Option<PageRequest<u8>> {
        let query = PageQuery {
            limit: limit.map(str::to_owned),
            after: after.map(str::to_owned),
            before: before.map(str::to_owned),
        };
        PageRequest::parse(&query, |text| text.parse().ok()).ok()
    }

    #[test]
    fn limit_defaults_to_10_and_is_capped_at_100() {
        let limit = |text| parse(text, None, None).map(|page| page.limit);
        assert_eq!(limit(None), Some(10));
        assert_eq!(limit(Some("1")), Some(1));
        assert_eq!(limit(Some("100")), Some(100));
        assert_eq!(limit(Some("101")), Some(100));
        assert_eq!(limit(Some("99999999999999999999999")), Some(100));
        for bad in ["", "0", "000", "-1", "+1", "1.5", "ten", "1 "] {
            assert_eq!(limit(Some(bad)), None, "{bad:?}");
        }
    }

    #[test]
    fn there_is_at_most_one_cursor_and_it_is_valid() {
        assert_eq!(parse(None, Some("5"), None).unwrap().after, Some(5));
        assert_eq!(parse(None, None, Some("5")).unwrap().before, Some(5));
        assert_eq!(parse(None, Some("5"), Some("6")), None);
        assert_eq!(parse(None, Some("x"), None), None);
        assert_eq!(parse(None, Some(""), None), None);
    }

    #[test]
    fn an_empty_page_has_no_cursors() {
        let page = list(7, Vec::<u8>::new(), u8::to_string);
        assert_eq!(page.page_info.total_count, 7);
        assert_eq!(page.page_info.start_cursor, None);
        let page = list(7, vec![3, 2, 1], u8::to_string);
        assert_eq!(page.page_info.count, 3);
        assert_eq!(page.page_info.start_cursor.as_deref(), Some("3"));
        assert_eq!(page.page_info.end_cursor.as_deref(), Some("1"));
    }
}
