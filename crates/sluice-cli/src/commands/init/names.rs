//! The title, slug and identifier for a given name.

use anyhow::Context;
use sluice_model::slug_of;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// For users, escaped for a quoted string in JavaScript and YAML.
    pub(super) title: String,
    /// For files and keys: lower case, with dashes.
    pub(super) slug: String,
    /// For code: lower case, with underscores.
    pub(super) identifier: String,
}

impl Names {
    pub(super) fn new(given: &str) -> anyhow::Result<Names> {
        let slug = slug_of(given).with_context(|| {
            format!("{given:?} is not a valid name: it needs a letter or a digit")
        })?;
        let words: Vec<&str> = slug.split('-').filter(|word| !word.is_empty()).collect();
        let identifier = words.join("_");
        let slug = words.join("-");
        Ok(Names {
            title: quoted(&title(given, &slug)),
            identifier: if identifier.starts_with(|first: char| first.is_ascii_digit()) {
                format!("_{identifier}")
            } else {
                identifier
            },
            slug,
        })
    }
}

/// Converts a slug into words. Other names are kept.
fn title(given: &str, slug: &str) -> String {
    if given != slug {
        return given.to_owned();
    }
    let mut characters = slug.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first
        .into_iter()
        .chain(characters)
        .map(|character| if character == '-' { ' ' } else { character })
        .collect()
}

fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: &str) -> (String, String, String) {
        let names = Names::new(given).unwrap();
        (names.title, names.slug, names.identifier)
    }

    fn expected(title: &str, slug: &str, identifier: &str) -> (String, String, String) {
        (title.to_owned(), slug.to_owned(), identifier.to_owned())
    }

    #[test]
    fn a_name_is_a_title_a_slug_and_an_identifier() {
        assert_eq!(
            names("new-orders"),
            expected("New orders", "new-orders", "new_orders")
        );
        assert_eq!(
            names("New Orders!"),
            expected("New Orders!", "new-orders", "new_orders")
        );
        assert_eq!(
            names("newOrders"),
            expected("newOrders", "new-orders", "new_orders")
        );
        assert_eq!(names("3scale"), expected("3scale", "3scale", "_3scale"));
        assert_eq!(
            names("the \"best\""),
            expected("the \\\"best\\\"", "the-best", "the_best")
        );
    }

    #[test]
    fn a_name_without_letters_is_invalid() {
        for given in ["", "   ", "../..", "…"] {
            assert!(Names::new(given).is_err(), "{given:?}");
        }
    }
}
