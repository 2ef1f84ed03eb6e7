//! Searches of events, runs and log lines.

mod budget;
mod events;
pub(crate) mod fixtures;
mod logs;
mod runs;

use sluice_model::SearchQuery;
use sluice_store::search::{Direction, Part, Search};

fn query(text: &str) -> Search {
    Search {
        query: SearchQuery::parse(text).unwrap(),
        ..Search::default()
    }
}

fn between(since: Option<i64>, until: Option<i64>) -> Search {
    Search {
        query: None,
        since,
        until,
    }
}

/// All rows, newest first.
fn everything<K>() -> Part<K> {
    Part {
        direction: Direction::Older,
        from: None,
        rows: 1_000,
        wanted: 1_000,
    }
}
