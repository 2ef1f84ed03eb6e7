//! Matching the words of a query with components, and ranking the matches.

use std::{cmp::Reverse, collections::HashSet};

use sluice_store::registry::words_of;

/// Parts of a query beyond this many are ignored.
const MAX_TERMS: usize = 20;

/// The words of a query.
pub(super) struct Words {
    all: Vec<String>,
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
    pub(super) fn is_together_in(&self, key: &str, name: &str, app: Option<&str>) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.text);
        self.words.len() == 1 || has(key) || has(name) || app.is_some_and(has)
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
        let all = terms.iter().flat_map(|term| term.words.clone()).collect();
        Words { all, terms }
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.all
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether all words that are written together are together in the component.
    pub(super) fn are_together_in(&self, key: &str, name: &str, app: Option<&str>) -> bool {
        let mut terms = self.terms.iter();
        terms.all(|term| term.is_together_in(key, name, app))
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

    /// The rank of a component with this key, name and app.
    pub(super) fn rank(&self, key: &str, name: &str, app: Option<&str>) -> Rank {
        let of_key: Vec<String> = words_of(key).collect();
        let of_name: Vec<String> = words_of(name).collect();
        let of_app: Vec<String> = app.into_iter().flat_map(words_of).collect();
        let is_in = |words: &[String], word: &String| words.contains(word);
        let part = if of_key == self.all {
            Part::Key
        } else if !of_app.is_empty() && of_app == self.all {
            Part::App
        } else if of_key.starts_with(&self.all) {
            Part::KeyPrefix
        } else if self
            .all
            .iter()
            .all(|word| is_in(&of_name, word) || is_in(&of_app, word))
        {
            Part::Name
        } else {
            Part::Other
        };
        let in_name = self.all.iter().filter(|word| is_in(&of_name, word));
        let described = app.and_then(sluice_catalogue::find);
        Rank {
            part,
            in_name: Reverse(in_name.count()),
            weight: Reverse(described.map_or(0, |app| app.weight)),
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
            query.rank("new-file", "X", None),
            query.rank("x-y", "X", Some("new_file")),
            query.rank("new-file-event", "X", None),
            query.rank("drive-added", "File: new!", None),
            query.rank("x-added", "New thing", Some("file")),
            query.rank("drive-x", "New thing", None),
            query.rank("drive-y", "Files are news", None),
        ];
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:#?}");
    }

    #[test]
    fn words_that_are_written_together_belong_together() {
        let is_found = |query: &str, key: &str, name: &str| {
            Words::of(query).are_together_in(key, name, Some("acme"))
        };
        assert!(is_found("acme-new", "acme-new-file", "X"));
        assert!(is_found("new-file acme", "acme-New-File", "X"));
        assert!(!is_found("acme-new-file", "acme-store", "Store a new file"));
        assert!(is_found("new file", "acme-store", "Store a file"));
    }

    #[test]
    fn a_better_known_app_ranks_first() {
        let query = Words::of("new message");
        let rank = |app| query.rank("x-y", "New Message", Some(app));
        assert!(rank("slack") < rank("no_such_app"));
    }
}
