//! Which things of the server are those that a folder speaks of.

use std::collections::BTreeMap;

/// What became of the things of one kind.
pub(crate) struct Matched<'a, T> {
    /// By their names in the folder.
    pub(crate) known: BTreeMap<&'a str, &'a T>,
    /// What the folder does not have.
    pub(crate) others: Vec<&'a T>,
}

/// Whether what a folder has under a name, and what the server has, are the same thing.
type Rule<'r, W, T> = &'r dyn Fn(&str, &W, &T) -> bool;

/// Finds for each thing that is wanted the one that exists, by the first rule that fits one that is still free.
pub(crate) fn matched<'a, W, T>(
    wanted: &'a BTreeMap<String, W>,
    existing: &'a [T],
    rules: &[Rule<'_, W, T>],
) -> Matched<'a, T> {
    let mut known: BTreeMap<&str, &T> = BTreeMap::new();
    let mut others: Vec<&T> = existing.iter().collect();
    for fits in rules {
        for (name, want) in wanted {
            if known.contains_key(name.as_str()) {
                continue;
            }
            if let Some(at) = others.iter().position(|thing| fits(name, want, thing)) {
                known.insert(name, others.remove(at));
            }
        }
    }
    Matched { known, others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_goes_before_the_second_for_all() {
        let wanted: BTreeMap<String, &str> = [("a", "A"), ("a-1", "A"), ("b", "B")]
            .map(|(key, name)| (key.to_owned(), name))
            .into();
        let existing = [("a-1", "A"), ("x", "A"), ("y", "Y")];
        let Matched { known, others } = matched(
            &wanted,
            &existing,
            &[
                &|slug, _, thing: &(&str, &str)| slug == thing.0,
                &|_, name, thing| *name == thing.1,
            ],
        );
        let known: Vec<_> = known.into_iter().collect();
        assert_eq!(known, [("a", &("x", "A")), ("a-1", &("a-1", "A"))]);
        assert_eq!(others, [&("y", "Y")]);
    }
}
