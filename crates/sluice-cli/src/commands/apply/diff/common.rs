//! Helpers of all kinds: the order of items, and the text of a changed field.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::commands::snapshot::names::slug_order;

const MAX_VALUE_CHARS: usize = 60;

/// The items of a folder in the order in which slugs are assigned.
pub(super) fn in_order<T>(items: &BTreeMap<String, T>) -> Vec<(&String, &T)> {
    let mut items: Vec<_> = items.iter().collect();
    items.sort_by_key(|(slug, _)| slug_order(slug));
    items
}

/// `field: old → new`, with long values cut.
pub(super) fn changed(field: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    format!("{field}: {} → {}", shortened(old), shortened(new))
}

fn shortened(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
