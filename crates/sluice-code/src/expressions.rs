//! Syntax errors in `{{ … }}` expressions, reported when they are saved.

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use sluice_model::workflow::expressions::{Expression, Part, Template, split};

use crate::{nesting::with_stack_for, position::position};

/// An expression that is not JavaScript, with the position of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The byte offset in the text.
    pub offset: usize,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// The errors of all expressions in a text.
pub fn check_expressions(text: &str) -> Vec<ExpressionError> {
    let errors: Vec<(usize, String)> = match split(text) {
        Err(errors) => {
            let errors = errors.into_iter();
            errors
                .map(|error| (error.offset, error.message.to_owned()))
                .collect()
        }
        Ok(Template::Text(_)) => Vec::new(),
        Ok(Template::Whole(whole)) => error_in(whole).into_iter().collect(),
        Ok(Template::Mixed(parts)) => {
            let expressions = parts.into_iter().filter_map(|part| match part {
                Part::Text(_) => None,
                Part::Expression(expression) => Some(expression),
            });
            expressions.filter_map(error_in).collect()
        }
    };
    let with_position = |(offset, message)| {
        let (line, column) = position(text, offset);
        ExpressionError {
            offset,
            line: line.unwrap_or_default(),
            column: column.unwrap_or_default(),
            message,
        }
    };
    errors.into_iter().map(with_position).collect()
}

/// The offset in the text and the message.
fn error_in(Expression { source, offset }: Expression<'_>) -> Option<(usize, String)> {
    let (at, message) = with_stack_for(source, || syntax_error(source))
        .unwrap_or_else(|| Some((0, "SyntaxError: it is nested too deeply".to_owned())))?;
    let at = offset + at.min(source.len());
    Some((at, format!("{{{{ {source} }}}}: {message}")))
}

// The grammar of scripts, because expressions cannot await.
fn syntax_error(source: &str) -> Option<(usize, String)> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::script()).parse_expression();
    let errors = parsed.err()?;
    let first = errors.into_iter().next();
    Some(first.map_or_else(
        || (0, "SyntaxError: it cannot be parsed".to_owned()),
        |error| {
            let at = error
                .labels
                .first()
                .map_or(0, |label| label.offset() as usize);
            (at, format!("SyntaxError: {}", error.message))
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_expressions_have_no_errors() {
        for text in [
            "no expression",
            "{{ event.body?.name ?? 'nobody' }} and {{ steps.a.$return_value[0] }}",
            "{{ { a: [1, 2].map((n) => n * 2) } }}",
            "{{ (() => { return 1 })() // why\n }}",
        ] {
            assert_eq!(check_expressions(text), [], "{text}");
        }
    }

    #[test]
    fn every_error_has_its_position_and_its_expression() {
        let errors = check_expressions("a {{ 1 + }}\n é {{ ok }} {{ x y }}");
        let positions: Vec<(u32, u32)> = errors.iter().map(|e| (e.line, e.column)).collect();
        assert_eq!(positions, [(1, 9), (2, 18)]);
        assert!(errors[0].message.starts_with("{{ 1 + }}: SyntaxError: "));
        for text in ["{{ }}", "{{ await x }}", "{{ let a = 1 }}", "{{ 1; f() }}"] {
            assert_eq!(check_expressions(text).len(), 1, "{text}");
        }
    }
}
