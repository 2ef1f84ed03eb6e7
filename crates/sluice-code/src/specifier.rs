//! Import specifiers: `axios`, `lodash/get`, `@scope/pkg@^1/sub`.

use serde::{Deserialize, Serialize};

/// Built-in modules of Node, as they are imported without `node:`.
const BUILT_IN: &str = " assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram \
    diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises \
    module net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl \
    stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty \
    url util util/types v8 vm wasi worker_threads zlib ";

/// A package as code imports it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PackageRequest {
    /// The name at npm, with its scope.
    name: String,
    /// The version, range or tag after the `@`.
    version: Option<String>,
    /// The part of the specifier that names the package: its folder in `node_modules`.
    alias: String,
}

impl PackageRequest {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn alias(&self) -> &str {
        &self.alias
    }

    /// Whether code names no version.
    pub(crate) fn is_bare(&self) -> bool {
        self.version.is_none()
    }

    /// The request with the range of a manifest, if it names no version itself.
    #[must_use]
    pub(crate) fn with_range(self, range: Option<&String>) -> PackageRequest {
        PackageRequest {
            version: self.version.or_else(|| range.cloned()),
            ..self
        }
    }

    /// A bare name means the latest version.
    pub fn version(&self) -> &str {
        self.version.as_deref().unwrap_or("latest")
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Specifier {
    Package(PackageRequest),
    /// A package with a text after the `@` that is not a version.
    BadVersion,
    /// A package with the prefix `npm:`, by the text after it.
    Npm(String),
    /// A package of the registry jsr.io.
    Jsr,
    /// A file beside the importing one.
    Relative,
    /// A URL, or a built-in module of Node.
    Other,
}

impl Specifier {
    pub(crate) fn parse(text: &str) -> Specifier {
        if text.starts_with("./") || text.starts_with("../") || text == "." || text == ".." {
            return Specifier::Relative;
        }
        if let Some(package) = text.strip_prefix("npm:") {
            return Specifier::Npm(package.trim_start_matches('/').to_owned());
        }
        if text.starts_with("jsr:") {
            return Specifier::Jsr;
        }
        let is_built_in = BUILT_IN.contains(&format!(" {text} "));
        if is_built_in || text.starts_with(['.', '/', '#']) || text.contains([':', '\\']) {
            return Specifier::Other;
        }
        // A scope is the first part, the package the second; otherwise the package is the first.
        let parts = if text.starts_with('@') { 2 } else { 1 };
        let end = text
            .match_indices('/')
            .nth(parts - 1)
            .map_or(text.len(), |(at, _)| at);
        let alias = &text[..end];
        let at = alias
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '@')
            .map(|(at, _)| at);
        let (name, version) = match at {
            Some(at) => (&alias[..at], Some(&alias[at + 1..])),
            None => (alias, None),
        };
        if !is_name(name) {
            return Specifier::Other;
        }
        if version.is_some_and(|version| !is_version(version)) {
            return Specifier::BadVersion;
        }
        Specifier::Package(PackageRequest {
            name: name.to_owned(),
            version: version.map(str::to_owned),
            alias: alias.to_owned(),
        })
    }
}

fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.len() <= 214
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
    };
    match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(name),
    }
}

/// A version, a range without spaces, or a tag: it becomes the name of a folder.
pub(crate) fn is_version(version: &str) -> bool {
    !version.is_empty()
        && version.len() <= 100
        && version
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"^~.-+*<>=_".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_distinguished_from_files_urls_and_modules_of_node() {
        for (text, name, version, alias) in [
            ("axios", "axios", "latest", "axios"),
            ("lodash/get", "lodash", "latest", "lodash"),
            ("axios@1.2.3", "axios", "1.2.3", "axios@1.2.3"),
            ("axios@^1.2/lib/x.js", "axios", "^1.2", "axios@^1.2"),
            ("axios@latest", "axios", "latest", "axios@latest"),
            ("@scope/pkg", "@scope/pkg", "latest", "@scope/pkg"),
            ("@scope/pkg@~1/sub", "@scope/pkg", "~1", "@scope/pkg@~1"),
            ("punycode/", "punycode", "latest", "punycode"),
            ("JSONStream", "JSONStream", "latest", "JSONStream"),
        ] {
            let Specifier::Package(request) = Specifier::parse(text) else {
                panic!("{text} is a package");
            };
            assert_eq!(
                (request.name(), request.version(), request.alias()),
                (name, version, alias)
            );
        }
        for text in [
            "fs",
            "fs/promises",
            "node:fs",
            "/x",
            "#x",
            "https://x.test/y.js",
            "",
            "@scope",
            "@/x",
            "a b",
        ] {
            assert_eq!(Specifier::parse(text), Specifier::Other, "{text}");
        }
        for text in ["./x", "../x.mjs", ".", ".."] {
            assert_eq!(Specifier::parse(text), Specifier::Relative, "{text}");
        }
        for (text, package) in [("npm:axios", "axios"), ("npm:/@s/p@1/sub", "@s/p@1/sub")] {
            assert_eq!(Specifier::parse(text), Specifier::Npm(package.to_owned()));
        }
        assert_eq!(Specifier::parse("jsr:@std/path"), Specifier::Jsr);
        for text in ["axios@", "axios@1 || 2", "@s/p@a(b)"] {
            assert_eq!(Specifier::parse(text), Specifier::BadVersion, "{text}");
        }
    }
}
