//! Paths in a document, as errors show them: `steps[1].props.url`.

use std::fmt::Write;

/// Keys may be long.
const MAX_SHOWN: usize = 60;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPart<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> From<&'a str> for PathPart<'a> {
    fn from(key: &'a str) -> Self {
        PathPart::Key(key)
    }
}

impl From<usize> for PathPart<'_> {
    fn from(index: usize) -> Self {
        PathPart::Index(index)
    }
}

pub fn path_text(parts: &[PathPart<'_>]) -> String {
    let mut path = String::new();
    for part in parts {
        push_part(&mut path, *part);
    }
    path
}

pub(super) fn joined(path: &str, part: PathPart<'_>) -> String {
    let mut path = path.to_owned();
    push_part(&mut path, part);
    path
}

pub(super) fn push_part(path: &mut String, part: PathPart<'_>) {
    let written = match part {
        PathPart::Index(index) => write!(path, "[{index}]"),
        PathPart::Key(key) if !is_word(key) => write!(path, "[{:?}]", shown(key)),
        PathPart::Key(key) if path.is_empty() => write!(path, "{}", shown(key)),
        PathPart::Key(key) => write!(path, ".{}", shown(key)),
    };
    written.expect("writing to a string succeeds");
}

/// Text of the document, shortened for a message.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn is_word(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|char| char.is_alphanumeric() || matches!(char, '_' | '$' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_like_code() {
        let parts = ["steps".into(), 1.into(), "props".into(), "a b".into()];
        assert_eq!(path_text(&parts), r#"steps[1].props["a b"]"#);
        assert_eq!(path_text(&[]), "");
        assert_eq!(path_text(&[PathPart::Key("")]), r#"[""]"#);
    }

    #[test]
    fn long_keys_are_cut() {
        let long = "ä".repeat(1000);
        assert_eq!(path_text(&[PathPart::Key(&long)]).chars().count(), 61);
    }
}
