//! The kinds of targets that an import can have.

/// Packages of the platform itself, which are never in a tree.
const PLATFORM_PACKAGES: [&str; 2] = ["platform", "types"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ImportTarget<'a> {
    /// A file: relative, absolute, or a URL.
    File(&'a str),
    /// `@pipedream/<app>`, with an optional path in it.
    App { app: &'a str, path: Option<&'a str> },
    /// Left to npm or the runtime.
    Package,
}

impl ImportTarget<'_> {
    pub(crate) fn of(text: &str) -> ImportTarget<'_> {
        if is_file(text) {
            return ImportTarget::File(text);
        }
        let Some(rest) = text.strip_prefix("@pipedream/") else {
            return ImportTarget::Package;
        };
        let (app, path) = match rest.split_once('/') {
            Some((app, path)) => (app, Some(path)),
            None => (rest, None),
        };
        let is_name = !app.is_empty()
            && app
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if is_name && !PLATFORM_PACKAGES.contains(&app) {
            ImportTarget::App { app, path }
        } else {
            ImportTarget::Package
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
            assert_eq!(ImportTarget::of(name), ImportTarget::Package, "{name}");
        }
    }

    #[test]
    fn paths_and_urls_are_files() {
        for name in [
            "./a.mjs",
            "../a",
            ".",
            "..",
            "/a.mjs",
            "https://example.com/a.mjs",
        ] {
            assert_eq!(ImportTarget::of(name), ImportTarget::File(name));
        }
    }

    #[test]
    fn the_scope_of_the_platform_means_apps() {
        assert_eq!(
            ImportTarget::of("@pipedream/slack"),
            ImportTarget::App {
                app: "slack",
                path: None
            }
        );
        assert_eq!(
            ImportTarget::of("@pipedream/google_drive/common/utils.mjs"),
            ImportTarget::App {
                app: "google_drive",
                path: Some("common/utils.mjs")
            }
        );
    }
}
