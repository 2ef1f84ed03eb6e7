//! Finding the `{{ … }}` in a text.

use std::ops::Range;

/// A piece of a text with expressions in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    /// JavaScript, and where it begins in the text, in bytes.
    Expression(&'a str, usize),
}

/// The pieces of `text`, in order. Braces that never close are text.
pub(crate) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = 0;
    while let Some(Range { start, end }) = next_expression(text, rest) {
        if start - 2 > rest {
            parts.push(Part::Text(&text[rest..start - 2]));
        }
        let source = text[start..end].trim();
        let leading = text[start..end].len() - text[start..end].trim_start().len();
        parts.push(Part::Expression(source, start + leading));
        rest = end + 2;
    }
    if rest < text.len() {
        parts.push(Part::Text(&text[rest..]));
    }
    parts
}

/// What is between the next pair of double braces.
fn next_expression(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].find("{{")? + 2;
    Some(start..start + end_of(&text[start..])?)
}

/// Where the braces close that opened before `source`: not those in its strings, nor those of its own objects.
fn end_of(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    // Open brackets and template literals, the innermost last.
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if open.last() == Some(&b'`') {
            match byte {
                b'\\' => at += 1,
                b'`' => drop(open.pop()),
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    open.push(b'{');
                    at += 1;
                }
                _ => {}
            }
        } else {
            match byte {
                b'}' if open.is_empty() => {
                    return (bytes.get(at + 1) == Some(&b'}')).then_some(at);
                }
                b'{' | b'(' | b'[' | b'`' => open.push(byte),
                b'}' | b')' | b']' => drop(open.pop()),
                b'"' | b'\'' => at += length_of_string(&bytes[at..])?,
                _ => {}
            }
        }
        at += 1;
    }
    None
}

/// From the quote that opens it up to the one that closes it.
fn length_of_string(bytes: &[u8]) -> Option<usize> {
    let quote = bytes.first()?;
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Part::*, *};

    #[test]
    fn text_and_expressions_take_turns() {
        assert_eq!(split("plain"), [Text("plain")]);
        assert_eq!(split(""), []);
        assert_eq!(split("{{ a }}"), [Expression("a", 3)]);
        assert_eq!(
            split("x {{a}}{{ b }} y"),
            [
                Text("x "),
                Expression("a", 4),
                Expression("b", 10),
                Text(" y")
            ]
        );
    }

    #[test]
    fn braces_inside_an_expression_do_not_end_it() {
        for source in [
            "{ a: { b: 1 } }",
            r#"'}}' + "}}""#,
            "`}} ${ { a: '}' }.a } }}`",
            r"'it\'s }}'",
            "[{ a: {} }]",
        ] {
            assert_eq!(
                split(&format!("{{{{ {source} }}}}")),
                [Expression(source, 3)]
            );
        }
    }

    #[test]
    fn braces_that_never_close_are_text() {
        for text in ["{{ a", "{{ a }", "{{ 'a }}", "a }} b", "{ a }", "{{ ( }}"] {
            assert_eq!(split(text), [Text(text)]);
        }
    }
}
