//! Whether expressions can be evaluated at all, told when they are saved.

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::{analysis::place, deep_stack::with_room_for};
use sluice_model::workflow::expressions::{Expression, Part, Template, split};

/// An expression that is no JavaScript, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionFault {
    /// In the text, in bytes.
    pub offset: usize,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// What is wrong with the expressions in a text.
pub fn check_expressions(text: &str) -> Vec<ExpressionFault> {
    let faults: Vec<(usize, String)> = match split(text) {
        Err(faults) => {
            let faults = faults.into_iter();
            faults
                .map(|fault| (fault.offset, fault.message.to_owned()))
                .collect()
        }
        Ok(Template::Text(_)) => Vec::new(),
        Ok(Template::Whole(whole)) => fault_in(whole).into_iter().collect(),
        Ok(Template::Mixed(parts)) => {
            let expressions = parts.into_iter().filter_map(|part| match part {
                Part::Text(_) => None,
                Part::Expression(expression) => Some(expression),
            });
            expressions.filter_map(fault_in).collect()
        }
    };
    let placed = |(offset, message)| {
        let (line, column) = place(text, offset);
        ExpressionFault {
            offset,
            line: line.unwrap_or_default(),
            column: column.unwrap_or_default(),
            message,
        }
    };
    faults.into_iter().map(placed).collect()
}

/// Where in the text it is, and what.
fn fault_in(Expression { source, offset }: Expression<'_>) -> Option<(usize, String)> {
    let (at, message) = with_room_for(source, || syntax_fault(source))
        .unwrap_or_else(|| Some((0, "SyntaxError: it is nested too deeply".to_owned())))?;
    let at = offset + at.min(source.len());
    Some((at, format!("{{{{ {source} }}}}: {message}")))
}

// The grammar of scripts: nothing can be awaited in an expression.
fn syntax_fault(source: &str) -> Option<(usize, String)> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::script()).parse_expression();
    let faults = parsed.err()?;
    let first = faults.into_iter().next();
    Some(first.map_or_else(
        || (0, "SyntaxError: it cannot be parsed".to_owned()),
        |fault| {
            let at = fault
                .labels
                .first()
                .map_or(0, |label| label.offset() as usize);
            (at, format!("SyntaxError: {}", fault.message))
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_evaluated_has_no_fault() {
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
    fn every_fault_has_its_place_and_its_expression() {
        let faults = check_expressions("a {{ 1 + }}\n é {{ ok }} {{ x y }}");
        let places: Vec<(u32, u32)> = faults.iter().map(|f| (f.line, f.column)).collect();
        assert_eq!(places, [(1, 9), (2, 18)]);
        assert!(faults[0].message.starts_with("{{ 1 + }}: SyntaxError: "));
        for text in ["{{ }}", "{{ await x }}", "{{ let a = 1 }}", "{{ 1; f() }}"] {
            assert_eq!(check_expressions(text).len(), 1, "{text}");
        }
    }
}
