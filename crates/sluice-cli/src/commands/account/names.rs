//! Names of files and of secrets.

use sluice_model::{slugify, unique_slug};

const LONGEST_KEY: usize = 100;

/// The name of a component's file, without `.mjs`: its key when that can be one, else the slug of its key or name.
pub(crate) fn component_stem(key: Option<&str>, name: &str) -> String {
    match key {
        Some(key) if is_plain(key) => key.to_owned(),
        Some(key) => slugify(key),
        None => slugify(name),
    }
}

/// What webhooks go by: the slug of the name, or of the address without a name, made unique in the order given.
pub(crate) fn webhook_names<'a>(
    oldest_first: impl Iterator<Item = (Option<&'a str>, &'a str)>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, url) in oldest_first {
        let address = url.split_once("://").map_or(url, |(_, rest)| rest);
        let base = slugify(name.unwrap_or(address));
        let base = base.trim_matches('-');
        let base = if base.is_empty() { "webhook" } else { base };
        names.push(unique_slug(base, |taken| {
            names.iter().any(|name| name == taken)
        }));
    }
    names
}

/// What the value of a secret prop goes by: `SOURCE_<SLUG>_<PROP>`.
pub(crate) fn source_secret(slug: &str, prop: &str) -> String {
    format!("SOURCE_{}_{}", upper(slug), upper(prop))
}

/// What the value of a secret of a workflow goes by: `WORKFLOW_<SLUG>_<NAME>`.
pub(crate) fn workflow_secret(slug: &str, name: &str) -> String {
    format!("WORKFLOW_{}_{}", upper(slug), upper(name))
}

/// `a`, `a-1`, `a-2`, …, `a-10` in this order, as slugs are given out.
pub(crate) fn in_order_of_creation(slug: &str) -> (usize, &str) {
    (slug.len(), slug)
}

fn upper(text: &str) -> String {
    text.chars()
        .map(|char| {
            if char.is_ascii_alphanumeric() {
                char.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

fn is_plain(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !key.is_empty() && key.len() <= LONGEST_KEY && !key.starts_with('.') && key.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_file_names_that_lead_nowhere_else() {
        assert_eq!(component_stem(Some("acme-new_x"), "X"), "acme-new_x");
        assert_eq!(component_stem(Some("../../etc/x"), "X"), "------etc-x");
        assert_eq!(component_stem(Some(".hidden"), "X"), "-hidden");
        assert_eq!(component_stem(None, "My Source"), "my-source");
    }

    #[test]
    fn webhooks_go_by_name_or_address_and_each_has_its_own() {
        let names = webhook_names(
            [
                (Some("Ops"), "https://a.test/x"),
                (None, "https://a.test/x"),
                (Some("Ops"), "https://b.test"),
                (Some("*"), "https://b.test"),
            ]
            .into_iter(),
        );
        assert_eq!(names, ["ops", "a-test-x", "ops-1", "webhook"]);
    }

    #[test]
    fn secrets_have_names_that_environments_take() {
        assert_eq!(
            source_secret("my-source", "api.key"),
            "SOURCE_MY_SOURCE_API_KEY"
        );
        assert_eq!(workflow_secret("w", "TOKEN"), "WORKFLOW_W_TOKEN");
    }
}
