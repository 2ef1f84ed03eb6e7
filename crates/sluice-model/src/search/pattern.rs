//! Patterns of text with `*`, which stands for any text. Letters match in either case.

/// The literal parts between the wildcards, folded. Without a wildcard there is one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    parts: Vec<String>,
}

impl Pattern {
    /// The text itself, without wildcards.
    pub(super) fn literal(text: &str) -> Pattern {
        Pattern {
            parts: vec![fold(text)],
        }
    }

    pub(super) fn with_wildcards(text: &str) -> Pattern {
        Pattern {
            parts: text.split('*').map(fold).collect(),
        }
    }

    pub(super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Whether the pattern is somewhere in the text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = fold(text);
        let mut rest = text.as_str();
        self.parts.iter().all(|part| skip_past(&mut rest, part))
    }

    /// Whether the pattern is the whole text.
    pub(super) fn is_all_of(&self, text: &str) -> bool {
        let text = fold(text);
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.parts.iter().all(|part| *part == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        middle.iter().all(|part| skip_past(&mut rest, part)) && rest.ends_with(last.as_str())
    }
}

fn skip_past(rest: &mut &str, part: &str) -> bool {
    match rest.split_once(part) {
        Some((_, behind)) => {
            *rest = behind;
            true
        }
        None => false,
    }
}

/// The text in lower case. A letter that is not ASCII never becomes one that is, because the store compares ASCII letters only.
pub(super) fn fold(text: &str) -> String {
    text.chars().map(fold_char).collect()
}

fn fold_char(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) if !only.is_ascii() => only,
        _ => letter,
    }
}
