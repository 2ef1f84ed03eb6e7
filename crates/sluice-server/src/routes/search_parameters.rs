//! The parameters of searches, and the budget of one request.

use std::time::Duration;

use sluice_model::SearchQuery;
use sluice_store::search::{Budget, Search};

use crate::{error::ApiError, instant};

/// A request that has looked at so much returns what it has found, and where to search on.
pub(super) const BUDGET: Budget = Budget {
    rows: 200_000,
    time: Duration::from_millis(75),
};

/// The search of the parameters; none if they have none.
pub(super) fn parse_search(
    q: Option<&str>,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<Option<Search>, ApiError> {
    let query = parse_query(q)?;
    let (since, until) = parse_times(since, until)?;
    let search = Search {
        query,
        since,
        until,
    };
    Ok(Some(search).filter(|search| *search != Search::default()))
}

pub(super) fn parse_query(q: Option<&str>) -> Result<Option<SearchQuery>, ApiError> {
    SearchQuery::parse(q.unwrap_or_default()).map_err(ApiError::Query)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_a_query_or_a_time_and_is_checked() {
        let parse = |q: &str, since: Option<&str>, until: Option<&str>| {
            parse_search(Some(q), since, until).ok()
        };
        assert_eq!(parse_search(None, None, None).unwrap(), None);
        assert_eq!(parse("", None, None), Some(None));
        let text = parse("a", None, None).unwrap().unwrap();
        assert_eq!((text.query.is_some(), text.since), (true, None));
        let time = parse("", Some("5"), Some("5")).unwrap().unwrap();
        assert_eq!(
            (time.query, time.since, time.until),
            (None, Some(5), Some(5))
        );
        assert_eq!(parse("a:", None, None), None);
        assert_eq!(parse("", Some("6"), Some("5")), None);
        assert_eq!(parse("", Some("soon"), None), None);
    }
}
