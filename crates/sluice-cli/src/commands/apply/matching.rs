//! Matching the items of a folder with those of the server.

use std::collections::BTreeMap;

/// The result for the items of one kind.
pub(crate) struct Matches<'a, T> {
    /// Existing items by their names in the folder.
    pub(crate) existing: BTreeMap<&'a str, &'a T>,
    /// Items that are not in the folder.
    pub(crate) unmatched: Vec<&'a T>,
}

/// Whether an item of the folder, with its name, and one of the server are the same.
type Rule<'r, W, T> = &'r dyn Fn(&str, &W, &T) -> bool;

/// Finds the existing item for each wanted one. Each rule is tried for all items before the next rule.
pub(crate) fn match_items<'a, W, T>(
    wanted: &'a BTreeMap<String, W>,
    existing: &'a [T],
    rules: &[Rule<'_, W, T>],
) -> Matches<'a, T> {
    let mut matched: BTreeMap<&str, &T> = BTreeMap::new();
    let mut unmatched: Vec<&T> = existing.iter().collect();
    for fits in rules {
        for (name, want) in wanted {
            if matched.contains_key(name.as_str()) {
                continue;
            }
            if let Some(at) = unmatched.iter().position(|item| fits(name, want, item)) {
                matched.insert(name, unmatched.remove(at));
            }
        }
    }
    Matches {
        existing: matched,
        unmatched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_is_tried_for_all_items_before_the_second() {
        let wanted: BTreeMap<String, &str> = [("a", "A"), ("a-1", "A"), ("b", "B")]
            .map(|(key, name)| (key.to_owned(), name))
            .into();
        let existing = [("a-1", "A"), ("x", "A"), ("y", "Y")];
        let Matches {
            existing: matched,
            unmatched,
        } = match_items(
            &wanted,
            &existing,
            &[
                &|slug, _, item: &(&str, &str)| slug == item.0,
                &|_, name, item| *name == item.1,
            ],
        );
        let matched: Vec<_> = matched.into_iter().collect();
        assert_eq!(matched, [("a", &("x", "A")), ("a-1", &("a-1", "A"))]);
        assert_eq!(unmatched, [&("y", "Y")]);
    }
}
