//! What the string in an import speaks of.

/// Packages of the platform itself, never files of a tree.
const NEVER_APPS: [&str; 2] = ["platform", "types"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Specifier<'a> {
    /// A file: relative, absolute, or an address.
    File(&'a str),
    /// `@pipedream/<app>`, and the path in it when there is one.
    App { app: &'a str, path: Option<&'a str> },
    /// Left as it is, for npm or the runtime.
    Package,
}

impl Specifier<'_> {
    pub(crate) fn of(text: &str) -> Specifier<'_> {
        if is_file(text) {
            return Specifier::File(text);
        }
        let Some(rest) = text.strip_prefix("@pipedream/") else {
            return Specifier::Package;
        };
        let (app, path) = match rest.split_once('/') {
            Some((app, path)) => (app, Some(path)),
            None => (rest, None),
        };
        let is_name = !app.is_empty()
            && app
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if is_name && !NEVER_APPS.contains(&app) {
            Specifier::App { app, path }
        } else {
            Specifier::Package
        }
    }
}

fn is_file(text: &str) -> bool {
    matches!(text, "." | "..")
        || ["./", "../", "/", "http://", "https://", "file:"]
            .iter()
            .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_names_are_packages() {
        for name in [
            "axios",
            "lodash/get",
            "node:fs",
            "fs",
            "pkg@1.2.0",
            "@scope/pkg@^1/sub",
            "npm:pkg@2",
            "data:text/javascript,export default 1",
            "#inner",
            "@pipedream/platform",
            "@pipedream/types",
            "@pipedream/slack@1.0.0",
            "@pipedream/../x",
        ] {
            assert_eq!(Specifier::of(name), Specifier::Package, "{name}");
        }
    }

    #[test]
    fn paths_and_addresses_are_files() {
        for name in [
            "./a.mjs",
            "../a",
            ".",
            "..",
            "/a.mjs",
            "https://example.com/a.mjs",
        ] {
            assert_eq!(Specifier::of(name), Specifier::File(name));
        }
    }

    #[test]
    fn the_scope_of_the_platform_names_apps() {
        assert_eq!(
            Specifier::of("@pipedream/slack"),
            Specifier::App {
                app: "slack",
                path: None
            }
        );
        assert_eq!(
            Specifier::of("@pipedream/google_drive/common/utils.mjs"),
            Specifier::App {
                app: "google_drive",
                path: Some("common/utils.mjs")
            }
        );
    }
}
