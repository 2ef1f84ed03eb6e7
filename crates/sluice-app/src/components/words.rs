//! Matching the words of a query with components, and ranking the matches.

use std::{cmp::Reverse, collections::HashSet};

use sluice_store::registry::words_of;

use super::{
    entry::Entry,
    searchable::{Searchable, has_word, spaced},
};

/// Parts of a query beyond this many are ignored.
const MAX_TERMS: usize = 20;

/// The words of a query.
pub(super) struct Words {
    all: Vec<String>,
    spaced: String,
    terms: Vec<Term>,
}

/// A part of a query between spaces.
pub(super) struct Term {
    text: String,
    words: Vec<String>,
}

impl Term {
    fn of(text: &str) -> Option<Term> {
        let words: Vec<String> = words_of(text).collect();
        (!words.is_empty()).then(|| Term {
            text: text.to_lowercase(),
            words,
        })
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether words that are written together, as in a key, are together in the component too.
    pub(super) fn is_together_in(&self, entry: &Entry) -> bool {
        self.words.len() == 1 || self.is_part_of(&entry.key, &entry.name, entry.app())
    }

    fn is_part_of(&self, key: &str, name: &str, app: Option<&str>) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.text);
        has(key) || has(name) || app.is_some_and(has)
    }
}

/// The searchable text of a component.
#[derive(Clone)]
pub(super) struct Text<'a> {
    pub(super) key: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) apps: Vec<&'a str>,
}

/// How well a component matches a query. The better one is less.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    part: Part,
    /// How many words of the query the name has, whole.
    in_name: Reverse<usize>,
    /// How well known the app is.
    weight: Reverse<i64>,
}

/// The part of a component that matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Key,
    App,
    KeyPrefix,
    /// Every word is one of the name or of the app.
    Name,
    Other,
}

impl Words {
    pub(super) fn of(query: &str) -> Words {
        let mut seen = HashSet::new();
        let terms: Vec<Term> = query
            .split_whitespace()
            .filter_map(Term::of)
            .filter(|term| seen.insert(term.text.clone()))
            .take(MAX_TERMS)
            .collect();
        let all: Vec<String> = terms.iter().flat_map(|term| term.words.clone()).collect();
        let spaced = spaced(all.iter().cloned());
        Words { all, spaced, terms }
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.all
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether all words that are written together are together in the component.
    pub(super) fn are_together_in(&self, entry: &Entry) -> bool {
        self.terms.iter().all(|term| term.is_together_in(entry))
    }

    /// Whether every word is the beginning of a word of the component.
    pub(super) fn are_all_in(&self, text: Text<'_>) -> bool {
        let Text {
            key,
            name,
            description,
            apps,
        } = text;
        let texts = [key, name, description].into_iter().chain(apps);
        let words: Vec<String> = texts.flat_map(words_of).collect();
        self.all
            .iter()
            .all(|wanted| words.iter().any(|word| word.starts_with(wanted.as_str())))
    }

    pub(super) fn rank(&self, component: &Searchable) -> Rank {
        let Searchable {
            key,
            name,
            app,
            weight,
        } = component;
        let in_name = self.all.iter().filter(|word| has_word(name, word)).count();
        let part = if *key == self.spaced {
            Part::Key
        } else if *app == self.spaced {
            Part::App
        } else if key.starts_with(&self.spaced) {
            Part::KeyPrefix
        } else if in_name == self.all.len()
            || (self.all.iter()).all(|word| has_word(name, word) || has_word(app, word))
        {
            Part::Name
        } else {
            Part::Other
        };
        Rank {
            part,
            in_name: Reverse(in_name),
            weight: Reverse(*weight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_occur() {
        let component = Text {
            key: "slack-new-message",
            name: "New Message",
            description: "Emits when posted",
            apps: vec!["slack_v2"],
        };
        for query in ["", "  ", "NEW", "posted slack", "v2 mess", "slack-new"] {
            assert!(Words::of(query).are_all_in(component.clone()), "{query}");
        }
        for query in ["github", "new github", "messageemits", "messages", "essage"] {
            assert!(!Words::of(query).are_all_in(component.clone()), "{query}");
        }
    }

    #[test]
    fn a_key_ranks_before_an_app_a_key_prefix_the_name_and_the_rest() {
        let query = Words::of("New File");
        let ranks = [
            ("new-file", "X", None),
            ("x-y", "X", Some("new_file")),
            ("new-file-event", "X", None),
            ("drive-added", "File: new!", None),
            ("x-added", "New thing", Some("file")),
            ("drive-x", "New thing", None),
            ("drive-y", "Files are news", None),
        ]
        .map(|(key, name, app)| query.rank(&Searchable::of(key, name, app)));
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:#?}");
    }

    #[test]
    fn words_that_are_written_together_belong_together() {
        let is_found = |query: &str, key: &str, name: &str| {
            let words = Words::of(query);
            let mut terms = words.terms.iter();
            terms.all(|term| term.words.len() == 1 || term.is_part_of(key, name, Some("acme")))
        };
        assert!(is_found("acme-new", "acme-new-file", "X"));
        assert!(is_found("new-file acme", "acme-New-File", "X"));
        assert!(!is_found("acme-new-file", "acme-store", "Store a new file"));
        assert!(is_found("new file", "acme-store", "Store a file"));
    }

    #[test]
    fn a_better_known_app_ranks_first() {
        let query = Words::of("new message");
        let rank = |app| query.rank(&Searchable::of("x-y", "New Message", Some(app)));
        assert!(rank("slack") < rank("no_such_app"));
    }
}
