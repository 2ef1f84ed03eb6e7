//! Finds `{{ … }}` expressions in the values of props. Expressions are JavaScript, which the process of the workflow
//! evaluates. This module only finds their ends, and ignores braces in strings, comments and regular expressions.

mod escape;
mod scanner;

pub use self::escape::escaped;
use self::scanner::{CLOSING, Scanner};

/// A string of a prop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Template<'a> {
    /// No expressions.
    Text(&'a str),
    /// One expression and nothing else. Its value may have any type.
    Whole(Expression<'a>),
    /// Text in which expressions are replaced by their values.
    Mixed(Vec<Part<'a>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'a> {
    Text(&'a str),
    Expression(Expression<'a>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expression<'a> {
    /// The code between the braces, trimmed.
    pub source: &'a str,
    /// The byte of the string at which `source` begins.
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpressionError {
    /// The byte of the string at which the expression begins, with its braces.
    pub offset: usize,
    pub message: &'static str,
}

const OPENING: &str = "{{";

/// Splits a string into its text and its expressions.
pub fn split(text: &str) -> Result<Template<'_>, Vec<ExpressionError>> {
    let mut parts = Vec::new();
    let mut errors = Vec::new();
    let mut at = 0;
    while let Some(length) = text[at..].find(OPENING) {
        let opening = at + length;
        if length > 0 {
            parts.push(Part::Text(&text[at..opening]));
        }
        let inside = opening + OPENING.len();
        let error = |message| ExpressionError {
            offset: opening,
            message,
        };
        let Some(length) = Scanner::new(&text[inside..]).find_end() else {
            let message =
                "has {{ without the }} that ends it; a quote or a bracket in between may be open";
            errors.push(error(message));
            return Err(errors);
        };
        let written = &text[inside..inside + length];
        let source = written.trim();
        if source.is_empty() {
            errors.push(error("has {{ }} with nothing in between"));
        }
        parts.push(Part::Expression(Expression {
            source,
            offset: inside + (written.len() - written.trim_start().len()),
        }));
        at = inside + length + CLOSING.len();
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if at < text.len() {
        parts.push(Part::Text(&text[at..]));
    }
    Ok(match parts.as_slice() {
        [] | [Part::Text(_)] => Template::Text(text),
        [Part::Expression(whole)] => Template::Whole(*whole),
        _ => Template::Mixed(parts),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sources(text: &str) -> Vec<&str> {
        match split(text).unwrap() {
            Template::Text(_) => Vec::new(),
            Template::Whole(expression) => vec![expression.source],
            Template::Mixed(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Expression(expression) => Some(expression.source),
                    Part::Text(_) => None,
                })
                .collect(),
        }
    }

    #[test]
    fn text_one_expression_and_a_mixture_are_distinguished() {
        assert_eq!(split("plain }} {"), Ok(Template::Text("plain }} {")));
        assert_eq!(split(""), Ok(Template::Text("")));
        let event = Expression {
            source: "event",
            offset: 3,
        };
        assert_eq!(split("{{ event }}"), Ok(Template::Whole(event)));
        let mixture = vec![
            Part::Text("ä "),
            Part::Expression(Expression {
                source: "a",
                offset: 5,
            }),
            Part::Expression(Expression {
                source: "b",
                offset: 11,
            }),
            Part::Text("!"),
        ];
        assert_eq!(split("ä {{a}}{{ b }}!"), Ok(Template::Mixed(mixture)));
        assert!(matches!(split(" {{ a }}"), Ok(Template::Mixed(_))));
    }

    #[test]
    fn braces_that_are_not_the_end_are_passed_over() {
        for source in [
            r#""}}""#,
            r"'it\'s }}'",
            "{ a: { b: {} } }",
            "`a }} ${ { b: `}}${c}` } } }}`",
            r"`\`}}`",
            r#"name.replace(/["}]}}/g, "")"#,
            r"/[/}}]\/}}/.test(a)",
            "/* }} */ a",
            "a / b / c",
            "list[0] / 2 + (a) / 2",
            "a // it's a comment",
            "a // and a second line: '\n + b",
            r#""{{""#,
            "f({a: {}})",
            "ä / 2 + '}}'",
        ] {
            let text = format!("{{{{ {source} }}}} and {{{{b}}}}");
            assert_eq!(sources(&text), [source, "b"], "{text}");
        }
        assert_eq!(sources("{{{a: 1}}}"), ["{a: 1}"]);
    }

    #[test]
    fn empty_and_open_expressions_are_errors_with_their_position() {
        let offsets = |text| {
            let errors = split(text).unwrap_err();
            errors.iter().map(|error| error.offset).collect::<Vec<_>>()
        };
        assert_eq!(offsets("{{}} a {{  }}"), [0, 7]);
        assert_eq!(offsets("a {{ b"), [2]);
        assert_eq!(offsets("{{ }} {{ 'a }}"), [0, 6]);
        for open in [
            "{{",
            "{{ { }}",
            "{{ `${a }}",
            "{{ \"\\",
            "{{ /",
            "{{ /* }}",
            "{{ =/[/ }}",
        ] {
            assert_eq!(offsets(open), [0], "{open}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_split_without_loss(text in r#"([{}a'"`$/*\\\[\] \nä]|\{\{|\}\}){0,40}"#) {
            match split(&text) {
                Ok(Template::Text(same)) => prop_assert_eq!(same, &text),
                Ok(Template::Whole(expression)) => prop_assert!(text[expression.offset..].starts_with(expression.source)),
                Ok(Template::Mixed(parts)) => for part in parts {
                    match part {
                        Part::Text(literal) => prop_assert!(!literal.contains(OPENING) && text.contains(literal)),
                        Part::Expression(expression) => {
                            prop_assert!(text[expression.offset..].starts_with(expression.source));
                        }
                    }
                },
                Err(errors) => {
                    prop_assert!(!errors.is_empty());
                    prop_assert!(errors.iter().all(|error| text[error.offset..].starts_with(OPENING)));
                }
            }
        }
    }
}
