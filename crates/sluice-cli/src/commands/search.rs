//! The options of searches, and their results.

use clap::Args;
use serde::de::DeserializeOwned;
use sluice_api::{List, PageInfo};

use super::time_arg::time;
use crate::client::{Client, ClientError};

/// The most items of one request.
const PAGE: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    /// Only what matches this query, such as `total:>100 status:paid`
    #[arg(long, short, value_name = "QUERY")]
    pub(crate) query: Option<String>,
    /// Only what is of this time or later: an age such as `7d`, ISO 8601 or epoch milliseconds
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<String>,
    /// Only what is of this time or earlier
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<String>,
}

impl SearchOptions {
    pub(crate) fn is_given(&self) -> bool {
        self.query.is_some() || self.since.is_some() || self.until.is_some()
    }

    fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        let given = [
            ("q", &self.query),
            ("since", &self.since),
            ("until", &self.until),
        ];
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}

/// The newest items of a list, at most `limit`. A search continues until it has found so many or looked at everything.
pub(crate) async fn newest<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    parameters: &[(&str, &str)],
    search: &SearchOptions,
    limit: usize,
) -> Result<Vec<T>, ClientError> {
    let mut items: Vec<T> = Vec::new();
    let mut after: Option<String> = None;
    while items.len() < limit {
        let wanted = (limit - items.len()).min(PAGE).to_string();
        let mut query = vec![("limit", wanted.as_str())];
        query.extend(parameters);
        query.extend(search.parameters());
        query.extend(after.as_deref().map(|cursor| ("after", cursor)));
        let List { page_info, data } = client.page(path, &query).await?;
        items.extend(data);
        match next(page_info, search) {
            Some(cursor) => after = Some(cursor),
            None => break,
        }
    }
    Ok(items)
}

fn next(page: PageInfo, search: &SearchOptions) -> Option<String> {
    if search.is_given() {
        page.searched_to
    } else {
        page.end_cursor
    }
}
