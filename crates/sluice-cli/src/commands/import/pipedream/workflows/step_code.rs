//! The code of a step: a file, or a component.

use std::path::Path;

use crate::commands::code::EXTENSIONS;

/// The value of `uses`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Uses {
    /// JavaScript or TypeScript, by its path in the folder.
    Code(String),
    /// Code in another language.
    Foreign(String),
    /// A component of the public registry.
    Registry(String),
    /// A component of a workspace.
    Private(String),
    Unknown,
}

impl Uses {
    pub(super) fn parse(uses: &str, runtime: &str) -> Uses {
        if let Some(path) = uses.strip_prefix("./") {
            let extension = Path::new(path).extension().and_then(|text| text.to_str());
            let has_known_name = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
            let is_node = runtime.is_empty() || runtime.starts_with("nodejs");
            return if has_known_name && is_node {
                Uses::Code(path.to_owned())
            } else {
                Uses::Foreign(path.to_owned())
            };
        }
        let private = uses.strip_prefix('@').and_then(|rest| rest.split_once('/'));
        let (key, is_private) = match private {
            Some((_, key)) => (key, true),
            None => (uses, false),
        };
        let key = key.split_once('@').map_or(key, |(key, _)| key);
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match (!key.is_empty() && key.bytes().all(is_part), is_private) {
            (false, _) => Uses::Unknown,
            (true, false) => Uses::Registry(key.to_owned()),
            (true, true) => Uses::Private(key.to_owned()),
        }
    }
}

/// Calls in the code of steps that do not exist here, each with the nearest equivalent.
const MISSING_CALLS: [(&str, &str); 7] = [
    (
        "$.flow.trigger",
        "send the event with $.send.emit, and let the other workflow listen to this one",
    ),
    ("$.flow.refreshTimeout", "set timeout_seconds of the step"),
    ("$checkpoint", "use a data store"),
    (
        "$.files",
        "write to /tmp, or send files to your own storage",
    ),
    (
        "$attachments",
        "put the file beside the code, or download it",
    ),
    ("$send.sql", "use an action of your database"),
    ("$.send.sql", "use an action of your database"),
];

/// The calls in code that do not exist here.
pub(super) fn missing_calls(code: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    MISSING_CALLS
        .into_iter()
        .filter(|(call, _)| code.contains(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_is_a_path_or_a_key() {
        let text = str::to_owned;
        for (uses, runtime, expected) in [
            ("./a/entry.js", "nodejs20.x", Uses::Code(text("a/entry.js"))),
            (
                "./a/entry.py",
                "python3.12",
                Uses::Foreign(text("a/entry.py")),
            ),
            ("./a/entry.js", "bash", Uses::Foreign(text("a/entry.js"))),
            ("./../x.js", "nodejs20.x", Uses::Code(text("../x.js"))),
            (
                "rss-merge@1.2.3",
                "nodejs20.x",
                Uses::Registry(text("rss-merge")),
            ),
            ("@me/mine-do@0.0.1", "", Uses::Private(text("mine-do"))),
            ("/etc/passwd", "", Uses::Unknown),
            ("", "", Uses::Unknown),
        ] {
            assert_eq!(Uses::parse(uses, runtime), expected, "{uses}");
        }
    }
}
