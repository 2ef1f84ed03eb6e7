//! Texts that are in the JSON of every match, so that the store can pass over other rows without reading them as JSON.

use super::{
    condition::{Condition, Term, Test},
    pattern::{Pattern, fold},
};

/// More are not worth their comparisons.
const MAX_NEEDLES: usize = 3;

/// A text in lower case, of ASCII characters only. JSON writes it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needle {
    /// In any text of the record.
    Text(String),
    /// In the field with this first name.
    Field { root: String, text: String },
}

impl Needle {
    pub fn text(&self) -> &str {
        match self {
            Needle::Text(text) | Needle::Field { text, .. } => text,
        }
    }
}

/// The longest needles, which are the rarest.
pub(super) fn of(terms: &[Term]) -> Vec<Needle> {
    let required = terms.iter().filter(|term| !term.negated);
    let mut needles: Vec<Needle> = required.flat_map(of_term).collect();
    needles.sort_by_key(|needle| std::cmp::Reverse(needle.text().len()));
    needles.dedup();
    needles.truncate(MAX_NEEDLES);
    needles
}

fn of_term(term: &Term) -> Vec<Needle> {
    match &term.condition {
        Condition::Text(pattern) => of_pattern(pattern).map(Needle::Text).collect(),
        Condition::Field { path, test } => {
            let root = path.first().cloned().unwrap_or_default();
            let texts = path.last().and_then(|key| of_key(key)).into_iter();
            let texts = texts.chain(of_test(test));
            texts
                .map(|text| Needle::Field {
                    root: root.clone(),
                    text,
                })
                .collect()
        }
    }
}

/// A key in its quotes. The name may be an index of a list.
fn of_key(key: &str) -> Option<String> {
    let is_index = key.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = key.chars().all(is_plain);
    (!is_index && is_plain).then(|| format!("\"{}\"", fold(key)))
}

fn of_test(test: &Test) -> Vec<String> {
    match test {
        // A number may be written in several ways.
        Test::Equal(operand) if !operand.is_number() => {
            longest_run(&fold(operand.text())).into_iter().collect()
        }
        Test::Like(pattern) => of_pattern(pattern).collect(),
        Test::Equal(_)
        | Test::Present
        | Test::Differs(_)
        | Test::Compare(..)
        | Test::Between(..) => Vec::new(),
    }
}

fn of_pattern(pattern: &Pattern) -> impl Iterator<Item = String> {
    pattern.parts().iter().filter_map(|part| longest_run(part))
}

/// The longest part that JSON writes as it is.
fn longest_run(text: &str) -> Option<String> {
    let runs = text.split(|c| !is_plain(c)).filter(|run| !run.is_empty());
    runs.max_by_key(|run| run.len()).map(str::to_owned)
}

fn is_plain(c: char) -> bool {
    (c.is_ascii_graphic() || c == ' ') && !matches!(c, '"' | '\\')
}
