//! Words that are looked for in components. The case of ASCII letters does not matter.

use std::cmp::Ordering;

/// The words of a query.
pub(super) struct Words(Vec<String>);

/// What a component is found by.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) key: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) apps: &'a [String],
}

/// How well a component fits a query.
#[derive(Debug)]
pub(super) struct Fit {
    manner: Manner,
    /// How much of the query it has: 1 is every word.
    pub(super) share: f64,
    /// How much of the query its name has.
    share_of_name: f64,
}

impl Fit {
    /// The better one is less.
    pub(super) fn compare(&self, other: &Fit) -> Ordering {
        (self.manner.cmp(&other.manner))
            .then_with(|| other.share.total_cmp(&self.share))
            .then_with(|| other.share_of_name.total_cmp(&self.share_of_name))
    }
}

/// What of a component fits.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    Key,
    BeginningOfKey,
    WordsOfName,
    Anything,
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

    pub(super) fn fit(&self, text: Text<'_>) -> Fit {
        let key = text.key.to_ascii_lowercase();
        // People write the words of a key with spaces.
        let as_key = self.0.join("-");
        let name = text.name.to_ascii_lowercase();
        let words_of_name: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let joined = text.joined();
        let share_of_name = self.share(|word| words_of_name.contains(&word));
        Fit {
            manner: if key == as_key {
                Manner::Key
            } else if key.starts_with(&as_key) {
                Manner::BeginningOfKey
            } else if share_of_name >= 1.0 {
                Manner::WordsOfName
            } else {
                Manner::Anything
            },
            share: self.share(|word| joined.contains(word)),
            share_of_name,
        }
    }

    /// How much of the query is found.
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
        // No word has a line break in it, so none is found across two of these.
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
    fn every_word_has_to_be_somewhere() {
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
    fn the_key_goes_before_its_beginning_the_name_and_the_rest() {
        let fit = |key, name, description| Words::of("New File").fit(text(key, name, description));
        let fits = [
            fit("new-file", "X", ""),
            fit("new-file-event", "X", ""),
            fit("drive-added", "File: new!", ""),
            fit("drive-x", "New thing", "of a file"),
            fit("drive-y", "Files are news", ""),
            fit("drive-z", "Files", ""),
        ];
        let is_ordered = fits.is_sorted_by(|a, b| a.compare(b) == Ordering::Less);
        assert!(is_ordered, "{fits:#?}");
        let with_every_word = fits.iter().filter(|fit| fit.share >= 1.0);
        assert_eq!(with_every_word.count(), 5);
    }
}
