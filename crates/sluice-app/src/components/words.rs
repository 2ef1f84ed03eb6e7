//! Matching the words of a query with components. The case of ASCII letters does not matter.

use std::cmp::Ordering;

/// The words of a query.
pub(super) struct Words(Vec<String>);

/// The searchable text of a component.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) key: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) apps: &'a [String],
}

/// How well a component matches a query.
#[derive(Debug)]
pub(super) struct Score {
    rank: Rank,
    /// The share of the query's words that it contains; 1 is every word.
    pub(super) share: f64,
    /// The share of the query's words in its name.
    share_of_name: f64,
}

impl Score {
    /// The better score is less.
    pub(super) fn compare(&self, other: &Score) -> Ordering {
        (self.rank.cmp(&other.rank))
            .then_with(|| other.share.total_cmp(&self.share))
            .then_with(|| other.share_of_name.total_cmp(&self.share_of_name))
    }
}

/// The part of a component that matches, best first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Key,
    KeyPrefix,
    NameWords,
    Other,
}

impl Words {
    pub(super) fn of(query: &str) -> Words {
        let query = query.to_ascii_lowercase();
        Words(query.split_whitespace().map(str::to_owned).collect())
    }

    /// Whether every word is somewhere in the component.
    pub(super) fn are_all_in(&self, text: Text<'_>) -> bool {
        let text = text.joined();
        self.0.iter().all(|word| text.contains(word))
    }

    pub(super) fn score(&self, text: Text<'_>) -> Score {
        let key = text.key.to_ascii_lowercase();
        // The words of a key may be written with spaces.
        let as_key = self.0.join("-");
        let name = text.name.to_ascii_lowercase();
        let words_of_name: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let joined = text.joined();
        let share_of_name = self.share(|word| words_of_name.contains(&word));
        Score {
            rank: if key == as_key {
                Rank::Key
            } else if key.starts_with(&as_key) {
                Rank::KeyPrefix
            } else if share_of_name >= 1.0 {
                Rank::NameWords
            } else {
                Rank::Other
            },
            share: self.share(|word| joined.contains(word)),
            share_of_name,
        }
    }

    /// The share of the query's words that are found.
    fn share(&self, is_found: impl Fn(&str) -> bool) -> f64 {
        let (mut found, mut all) = (0.0, 0.0);
        for word in &self.0 {
            all += 1.0;
            if is_found(word) {
                found += 1.0;
            }
        }
        found / f64::max(all, 1.0)
    }
}

impl Text<'_> {
    fn joined(self) -> String {
        let Text {
            key,
            name,
            description,
            apps,
        } = self;
        // Words contain no line break, so none matches across two fields.
        let mut joined = [key, name, description, &apps.join("\n")].join("\n");
        joined.make_ascii_lowercase();
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<'a>(key: &'a str, name: &'a str, description: &'a str) -> Text<'a> {
        Text {
            key,
            name,
            description,
            apps: &[],
        }
    }

    #[test]
    fn every_word_must_occur() {
        let apps = ["slack_v2".to_owned()];
        let component = Text {
            apps: &apps,
            ..text("slack-new-message", "New Message", "Emits when posted")
        };
        for query in ["", "  ", "NEW", "posted slack", "v2 mess", "slack-new"] {
            assert!(Words::of(query).are_all_in(component), "{query}");
        }
        for query in ["github", "new github", "messageemits", "messages"] {
            assert!(!Words::of(query).are_all_in(component), "{query}");
        }
    }

    #[test]
    fn a_key_ranks_before_a_key_prefix_the_name_and_the_rest() {
        let score =
            |key, name, description| Words::of("New File").score(text(key, name, description));
        let scores = [
            score("new-file", "X", ""),
            score("new-file-event", "X", ""),
            score("drive-added", "File: new!", ""),
            score("drive-x", "New thing", "of a file"),
            score("drive-y", "Files are news", ""),
            score("drive-z", "Files", ""),
        ];
        let is_ordered = scores.is_sorted_by(|a, b| a.compare(b) == Ordering::Less);
        assert!(is_ordered, "{scores:#?}");
        let with_every_word = scores.iter().filter(|score| score.share >= 1.0);
        assert_eq!(with_every_word.count(), 5);
    }
}
