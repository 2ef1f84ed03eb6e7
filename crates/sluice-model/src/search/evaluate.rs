//! Whether a record matches a term.

use std::cmp::Ordering;

use serde_json::Value;

use super::{
    condition::{Comparison, Condition, Term, Test},
    operand::scalar_text,
    pattern::Pattern,
};

/// An event, a run or a log line, as a search sees it.
pub trait Record {
    /// The values whose keys and texts are searched for words.
    fn texts(&self) -> Vec<&Value>;

    /// The values that a path may begin at, each with the rest of the path from there.
    fn roots<'p>(&self, path: &'p [String]) -> Vec<(&Value, &'p [String])>;
}

pub(super) fn matches(term: &Term, record: &impl Record) -> bool {
    let is_met = match &term.condition {
        Condition::Text(pattern) => record
            .texts()
            .into_iter()
            .any(|value| is_text_in(pattern, value)),
        Condition::Field { path, test } => field_passes(test, &record.roots(path)),
    };
    is_met != term.negated
}

fn field_passes(test: &Test, roots: &[(&Value, &[String])]) -> bool {
    let any = |passes: &dyn Fn(&Value) -> bool| {
        let mut roots = roots.iter();
        roots.any(|(value, path)| any_at(value, path, passes))
    };
    match test {
        Test::Present => any(&|value| !value.is_null()),
        Test::Equal(operand) => any(&|value| operand.equals(value)),
        Test::Differs(operand) => any(&|_| true) && !any(&|value| operand.equals(value)),
        Test::Like(pattern) => {
            any(&|value| scalar_text(value).is_some_and(|text| pattern.is_all_of(&text)))
        }
        Test::Compare(comparison, operand) => any(&|value| {
            let order = operand.order(value);
            order.is_some_and(|order| comparison.admits(order))
        }),
        Test::Between(low, high) => any(&|value| {
            low.order(value).is_some_and(Ordering::is_ge)
                && high.order(value).is_some_and(Ordering::is_le)
        }),
    }
}

impl Comparison {
    fn admits(self, order: Ordering) -> bool {
        match self {
            Comparison::Above => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
            Comparison::Below => order.is_lt(),
            Comparison::AtMost => order.is_le(),
        }
    }
}

/// Whether any value at the path passes. A path goes through lists, and ends at the items of a list.
fn any_at(value: &Value, path: &[String], passes: &dyn Fn(&Value) -> bool) -> bool {
    match (value, path) {
        (Value::Array(items), []) => {
            passes(value) || items.iter().any(|item| any_at(item, path, passes))
        }
        (Value::Array(items), [name, rest @ ..]) => {
            let indexed = name.parse().ok().and_then(|index: usize| items.get(index));
            indexed.is_some_and(|item| any_at(item, rest, passes))
                || items.iter().any(|item| any_at(item, path, passes))
        }
        (Value::Object(fields), [name, rest @ ..]) => fields
            .get(name)
            .is_some_and(|value| any_at(value, rest, passes)),
        (_, []) => passes(value),
        (_, [_, ..]) => false,
    }
}

/// Whether the text is in a key or a value, at any depth.
fn is_text_in(pattern: &Pattern, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| is_text_in(pattern, item)),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| pattern.is_in(key) || is_text_in(pattern, value)),
        _ => scalar_text(value).is_some_and(|text| pattern.is_in(&text)),
    }
}
