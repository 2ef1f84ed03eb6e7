//! Slugs: names in a form for URLs and command lines.

/// Characters a slug may have before a number is added to make it unique.
const MAX_LENGTH: usize = 100;

/// The slug of a name, or `source` for a name without Latin letters and digits.
pub fn slugify(name: &str) -> String {
    slug_of(name).unwrap_or_else(|| "source".to_owned())
}

/// The slug of a name: camelCase split, lower case, every other character a dash. Runs of dashes stay, so that different
/// names tend to keep different slugs, but not at the beginning, where command lines would take them for a flag. None for a name
/// without Latin letters and digits.
pub fn slug_of(name: &str) -> Option<String> {
    let mut slug = String::with_capacity(name.len());
    let mut previous = None;
    for character in name.chars() {
        if character.is_ascii_uppercase() && previous.is_some_and(ends_word_before_upper_case) {
            slug.push('-');
        }
        slug.push(if character.is_ascii_alphanumeric() {
            character.to_ascii_lowercase()
        } else {
            '-'
        });
        previous = Some(character);
    }
    let usable = slug.trim_start_matches('-');
    (!usable.is_empty()).then(|| usable.chars().take(MAX_LENGTH).collect())
}

fn ends_word_before_upper_case(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit()
}

/// `base` when it is free, else the first free of `base-1`, `base-2`, …
pub fn unique_slug(base: &str, mut is_taken: impl FnMut(&str) -> bool) -> String {
    let mut slug = base.to_owned();
    let mut number = 0_u64;
    while is_taken(&slug) {
        number += 1;
        slug = format!("{base}-{number}");
    }
    slug
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slugs_split_camel_case_and_keep_runs() {
        assert_eq!(
            slugify("My first project - exu_oedidz"),
            "my-first-project---exu-oedidz"
        );
        assert_eq!(slugify("exu_2LniLm"), "exu-2-lni-lm");
        assert_eq!(slugify("cronjob.js"), "cronjob-js");
        assert_eq!(slugify("HTTP API"), "http-api");
        assert_eq!(slugify("Grüße"), "gr--e");
        assert_eq!(slugify("-x"), "x");
        for without_letters in ["", "-", "日本語"] {
            assert_eq!(slugify(without_letters), "source");
        }
        assert_eq!(slugify("日本 2"), "2");
    }

    #[test]
    fn slugs_are_cut() {
        assert_eq!(slugify(&"a".repeat(500)).len(), 100);
        assert_eq!(slugify(&format!("x{}", "ä".repeat(500))).len(), 100);
    }

    #[test]
    fn the_first_collision_gets_one() {
        assert_eq!(unique_slug("a", |_| false), "a");
        assert_eq!(unique_slug("a", |slug| slug == "a"), "a-1");
        assert_eq!(unique_slug("a", |slug| slug == "a" || slug == "a-1"), "a-2");
    }

    proptest! {
        #[test]
        fn unique_slugs_never_collide(names in prop::collection::vec("[aA1-]{0,3}", 0..40)) {
            let mut taken = HashSet::new();
            for name in names {
                let slug = unique_slug(&slugify(&name), |slug| taken.contains(slug));
                prop_assert!(taken.insert(slug));
            }
        }

        #[test]
        fn slugs_are_plain_ascii(name in ".*") {
            let slug = slugify(&name);
            prop_assert!(!slug.is_empty() && slug.len() <= 100 && !slug.starts_with('-'));
            prop_assert!(slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')));
        }
    }
}
