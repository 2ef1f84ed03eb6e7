//! The words of a component as searches compare them. They are made once, because a search compares thousands.

use sluice_store::registry::words_of;

/// The words of a component that decide its rank, with a space after each.
pub(super) struct Searchable {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) app: String,
    /// How well known the app is.
    pub(super) weight: i64,
}

impl Searchable {
    pub(super) fn of(key: &str, name: &str, app: Option<&str>) -> Searchable {
        let described = app.and_then(sluice_catalogue::find);
        Searchable {
            key: spaced(words_of(key)),
            name: spaced(words_of(name)),
            app: app.map(words_of).map(spaced).unwrap_or_default(),
            weight: described.map_or(0, |app| app.weight),
        }
    }
}

/// Words with a space after each, which makes them easy to compare.
pub(super) fn spaced(words: impl Iterator<Item = String>) -> String {
    words.flat_map(|word| [word, " ".to_owned()]).collect()
}

/// Whether a word is one of spaced words.
pub(super) fn has_word(spaced: &str, word: &str) -> bool {
    spaced.split_terminator(' ').any(|own| own == word)
}
