//! Errors that a JavaScript engine finds before it runs code, and that the parser does not look for.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, RegExpLiteral};
use oxc_ast_visit::Visit;
use oxc_regular_expression::{LiteralParser, Options};
use oxc_semantic::SemanticBuilder;

/// Whether there may be any.
pub(super) fn may_have_early_errors(program: &Program<'_>) -> bool {
    let checked = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .build(program);
    if !checked.diagnostics.is_empty() {
        return true;
    }
    let mut patterns = Patterns::default();
    patterns.visit_program(program);
    patterns.has_error
}

#[derive(Default)]
struct Patterns {
    has_error: bool,
}

impl<'a> Visit<'a> for Patterns {
    fn visit_reg_exp_literal(&mut self, literal: &RegExpLiteral<'a>) {
        let allocator = Allocator::default();
        let flags = literal.regex.flags.to_string();
        let text = &literal.regex.pattern.text;
        let parser = LiteralParser::new(&allocator, text, Some(&flags), Options::default());
        self.has_error |= parser.parse().is_err();
    }
}
