//! The query language of searches in events, runs and logs: words, phrases and conditions on fields, joined by *and*.
//!
//! | term | matches a record |
//! |---|---|
//! | `word`, `"two words"` | with this text in a key or value, in either case |
//! | `path.to.field:value` | whose field has this value |
//! | `field:>5`, `:>=`, `:<`, `:<=` | whose field is a number in this range, or a text in this order |
//! | `field:10..20` | whose field is between both, inclusive |
//! | `field:!=value` | whose field has another value |
//! | `field:*`, `field:ab*` | that has the field, or whose field matches the pattern |
//! | `-term` | that does not match the term |
//!
//! A path goes through lists: `items.sku:A-1` matches if any item does. `items.0.sku` is the first one.

mod condition;
mod error;
mod evaluate;
mod needles;
mod operand;
mod parse;
mod pattern;
mod scanner;

#[cfg(test)]
mod tests;

use condition::Term;

pub use error::SearchError;
pub use evaluate::Record;
pub use needles::Needle;

/// A parsed query. It has at least one term.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    terms: Vec<Term>,
}

impl SearchQuery {
    /// The query of a text; none if the text is blank.
    pub fn parse(text: &str) -> Result<Option<SearchQuery>, SearchError> {
        let terms = parse::terms(text)?;
        Ok((!terms.is_empty()).then_some(SearchQuery { terms }))
    }

    /// Whether the record matches all terms.
    pub fn matches(&self, record: &impl Record) -> bool {
        self.terms
            .iter()
            .all(|term| evaluate::matches(term, record))
    }

    /// Texts that are in the JSON of every match.
    pub fn needles(&self) -> Vec<Needle> {
        needles::of(&self.terms)
    }

    /// The value that a field must have, for a query that requires one exact value of a field at the top.
    pub fn required_value(&self, field: &str) -> Option<&str> {
        self.terms.iter().find_map(|term| term.required(field))
    }
}
