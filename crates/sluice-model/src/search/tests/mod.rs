//! Tests of the query language.

mod errors;
mod matching;
mod properties;

use serde_json::Value;

use super::{Record, SearchQuery};

/// A record whose fields are those of one value.
struct Plain(Value);

impl Record for Plain {
    fn texts(&self) -> Vec<&Value> {
        vec![&self.0]
    }

    fn roots<'p>(&self, path: &'p [String]) -> Vec<(&Value, &'p [String])> {
        vec![(&self.0, path)]
    }
}

fn query(text: &str) -> SearchQuery {
    SearchQuery::parse(text).unwrap().unwrap()
}
