//! Names of files, webhooks and secrets.

use sluice_model::{slug_of, slugify, unique_slug};

const MAX_KEY_BYTES: usize = 100;

/// The file name of a component without `.mjs`: its key if that is a valid file name, else the slug of its key or name.
pub(crate) fn component_stem(key: Option<&str>, name: &str) -> String {
    match key {
        Some(key) if is_plain(key) => key.to_owned(),
        Some(key) => slugify(key),
        None => slugify(name),
    }
}

/// The names of webhooks: the slug of the name, or of the URL for one without a name. Made unique in the given order.
pub(crate) fn webhook_names<'a>(
    oldest_first: impl Iterator<Item = (Option<&'a str>, &'a str)>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, url) in oldest_first {
        let address = url.split_once("://").map_or(url, |(_, rest)| rest);
        let slug = slug_of(name.unwrap_or(address));
        let base = slug
            .as_deref()
            .map_or("webhook", |slug| slug.trim_end_matches('-'));
        names.push(unique_slug(base, |taken| {
            names.iter().any(|name| name == taken)
        }));
    }
    names
}

/// The name of a source's secret prop: `SOURCE_<SLUG>_<PROP>`.
pub(crate) fn source_secret(slug: &str, prop: &str) -> String {
    format!("SOURCE_{}_{}", upper(slug), upper(prop))
}

/// The name of a workflow's secret: `WORKFLOW_<SLUG>_<NAME>`.
pub(crate) fn workflow_secret(slug: &str, name: &str) -> String {
    format!("WORKFLOW_{}_{}", upper(slug), upper(name))
}

/// A sort key in the order in which slugs are assigned: `a`, `a-1`, `a-2`, …, `a-10`.
pub(crate) fn slug_order(slug: &str) -> (usize, &str) {
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
    !key.is_empty() && key.len() <= MAX_KEY_BYTES && !key.starts_with('.') && key.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_of_components_have_no_path_parts() {
        assert_eq!(component_stem(Some("acme-new_x"), "X"), "acme-new_x");
        assert_eq!(component_stem(Some("../../etc/x"), "X"), "etc-x");
        assert_eq!(component_stem(Some(".hidden"), "X"), "hidden");
        assert_eq!(component_stem(None, "My Source"), "my-source");
    }

    #[test]
    fn webhooks_are_named_uniquely_by_name_or_url() {
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
    fn names_of_secrets_are_valid_environment_variables() {
        assert_eq!(
            source_secret("my-source", "api.key"),
            "SOURCE_MY_SOURCE_API_KEY"
        );
        assert_eq!(workflow_secret("w", "TOKEN"), "WORKFLOW_W_TOKEN");
    }
}
