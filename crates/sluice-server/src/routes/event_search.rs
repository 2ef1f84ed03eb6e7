//! Searches the stored events or log lines of a source, and returns a page of the matches.

use std::collections::VecDeque;

use sluice_api::EventsQuery;
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    Conn, Store, StoreError,
    events::{self, ChannelFilter, StoredEvent},
    logs::{self, StoredLog},
    search::{self, Search, Step},
};

use crate::{error::ApiError, instant, page::PageRequest};

/// The longest text to search for, in bytes.
const MAX_TEXT: usize = 1_000;

/// The search of the parameters; none if they have none.
pub(super) fn parse_search(query: &EventsQuery) -> Result<Option<Search>, ApiError> {
    let text = query.q.clone().filter(|text| !text.is_empty());
    if let Some(text) = &text {
        if text.len() > MAX_TEXT {
            return Err(ApiError::BadRequest(format!(
                "q must have at most {MAX_TEXT} bytes"
            )));
        }
        if text.contains('\0') {
            return Err(ApiError::bad_request("q must not contain NUL characters"));
        }
    }
    let (since, until) = parse_times(query.since.as_deref(), query.until.as_deref())?;
    let search = Search { text, since, until };
    Ok(Some(search).filter(|search| *search != Search::default()))
}

pub(super) fn parse_times(
    since: Option<&str>,
    until: Option<&str>,
) -> Result<(Option<i64>, Option<i64>), ApiError> {
    let since = since
        .map(|text| instant::parse("since", text))
        .transpose()?;
    let until = until
        .map(|text| instant::parse("until", text))
        .transpose()?;
    if since.zip(until).is_some_and(|(since, until)| since > until) {
        return Err(ApiError::bad_request("since must not be later than until"));
    }
    Ok((since, until))
}

pub(super) async fn find_events(
    store: &Store,
    source: &EmitterId,
    filter: ChannelFilter,
    search: Search,
    page: PageRequest<EventId>,
) -> Result<(u64, Vec<StoredEvent>), StoreError> {
    let searched = source.clone();
    let step = move |c: &mut dyn Conn, below| search::events(c, &searched, &filter, &search, below);
    let (total, ids) = scan(store, page, step).await?;
    let source = source.clone();
    let read = move |c: &mut dyn Conn| {
        let rows = ids.into_iter().map(|id| events::get(c, &source, id));
        rows.filter_map(Result::transpose).collect()
    };
    Ok((total, store.read(read).await?))
}

pub(super) async fn find_logs(
    store: &Store,
    source: &EmitterId,
    search: Search,
    page: PageRequest<i64>,
) -> Result<(u64, Vec<StoredLog>), StoreError> {
    let searched = source.clone();
    let step = move |c: &mut dyn Conn, below| search::logs(c, &searched, &search, below);
    let (total, lines) = scan(store, page, step).await?;
    let source = source.clone();
    let read = move |c: &mut dyn Conn| {
        let rows = lines.into_iter().map(|seq| logs::get(c, &source, seq));
        rows.filter_map(Result::transpose).collect()
    };
    Ok((total, store.read(read).await?))
}

/// Searches in steps, so that other reads can run in between.
async fn scan<K: Ord + Copy + Send + 'static>(
    store: &Store,
    page: PageRequest<K>,
    step: impl Fn(&mut dyn Conn, Option<K>) -> Result<Step<K>, StoreError> + Clone + Send + 'static,
) -> Result<(u64, Vec<K>), StoreError> {
    let mut matches = Matches::new(page);
    let mut below = None;
    loop {
        let step = step.clone();
        let Step { found, next } = store.read(move |c| step(c, below)).await?;
        for key in found {
            matches.add(key);
        }
        below = next;
        if below.is_none() {
            return Ok((matches.total, matches.rows.into()));
        }
    }
}

/// Counts the matches and keeps those of the page.
struct Matches<K> {
    page: PageRequest<K>,
    total: u64,
    rows: VecDeque<K>,
}

impl<K: Ord + Copy> Matches<K> {
    fn new(page: PageRequest<K>) -> Matches<K> {
        Matches {
            page,
            total: 0,
            rows: VecDeque::new(),
        }
    }

    /// Keys come newest first.
    fn add(&mut self, key: K) {
        self.total += 1;
        let is_full = self.rows.len() == self.page.limit as usize;
        match self.page.before {
            Some(before) if key > before => {
                // The page has the matches nearest to `before`, which come last.
                if is_full {
                    self.rows.pop_front();
                }
                self.rows.push_back(key);
            }
            None if !is_full && self.page.after.is_none_or(|after| key < after) => {
                self.rows.push_back(key);
            }
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(limit: u32, after: Option<i64>, before: Option<i64>) -> Vec<i64> {
        let mut matches = Matches::new(PageRequest {
            limit,
            after,
            before,
        });
        for key in [50, 40, 30, 20, 10] {
            matches.add(key);
        }
        assert_eq!(matches.total, 5);
        matches.rows.into()
    }

    #[test]
    fn after_continues_with_older_matches() {
        assert_eq!(page(2, None, None), [50, 40]);
        assert_eq!(page(2, Some(40), None), [30, 20]);
        assert_eq!(page(2, Some(45), None), [40, 30]);
        assert_eq!(page(9, Some(30), None), [20, 10]);
        assert!(page(2, Some(10), None).is_empty());
    }

    #[test]
    fn before_gives_the_nearest_newer_matches() {
        assert_eq!(page(2, None, Some(20)), [40, 30]);
        assert_eq!(page(9, None, Some(20)), [50, 40, 30]);
        assert!(page(2, None, Some(50)).is_empty());
        assert_eq!(page(2, None, Some(1)), [20, 10]);
    }

    #[test]
    fn a_search_has_text_or_a_time_and_is_checked() {
        let parse = |q: &str, since: Option<&str>, until: Option<&str>| {
            let query = EventsQuery {
                q: Some(q.to_owned()),
                since: since.map(str::to_owned),
                until: until.map(str::to_owned),
                ..EventsQuery::default()
            };
            parse_search(&query).ok()
        };
        assert_eq!(parse("", None, None), Some(None));
        let text = parse("a", None, None).unwrap().unwrap();
        assert_eq!(text.text.as_deref(), Some("a"));
        let time = parse("", Some("5"), Some("5")).unwrap().unwrap();
        assert_eq!(
            (time.text, time.since, time.until),
            (None, Some(5), Some(5))
        );
        assert!(parse(&"x".repeat(1_000), None, None).is_some());
        assert_eq!(parse(&"x".repeat(1_001), None, None), None);
        assert_eq!(parse("\0", None, None), None);
        assert_eq!(parse("", Some("6"), Some("5")), None);
        assert_eq!(parse("", Some("soon"), None), None);
    }
}
