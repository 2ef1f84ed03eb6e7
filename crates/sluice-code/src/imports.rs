//! The imports of a module: every place where it names another one by a literal.

use oxc_ast::ast::{
    Argument, CallExpression, ExportAllDeclaration, ExportFromDeclaration, Expression,
    ImportDeclaration, ImportExpression, NewExpression, Program, StringLiteral,
    TSExternalModuleReference, TemplateLiteral,
};
use oxc_ast_visit::{Visit, walk};

#[derive(Debug, Clone)]
pub(crate) struct Import {
    pub(crate) specifier: String,
    /// The byte offset of the literal.
    pub(crate) offset: usize,
}

/// In the order of the text. Specifiers that are only known at run time are not listed.
pub(crate) fn of(program: &Program<'_>) -> Vec<Import> {
    let mut collector = Collector::default();
    collector.visit_program(program);
    collector.imports
}

#[derive(Default)]
struct Collector {
    imports: Vec<Import>,
}

impl Collector {
    fn literal(&mut self, literal: &StringLiteral<'_>) {
        self.add(literal.value.as_str(), literal.span.start);
    }

    fn add(&mut self, specifier: &str, start: u32) {
        self.imports.push(Import {
            specifier: specifier.to_owned(),
            offset: start as usize,
        });
    }

    fn argument(&mut self, argument: Option<&Argument<'_>>) {
        match argument {
            Some(Argument::StringLiteral(literal)) => self.literal(literal),
            Some(Argument::TemplateLiteral(template)) => self.template(template),
            _ => {}
        }
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) {
        if let (true, [only]) = (template.expressions.is_empty(), template.quasis.as_slice())
            && let Some(text) = &only.value.cooked
        {
            self.add(text.as_str(), template.span.start);
        }
    }
}

impl<'a> Visit<'a> for Collector {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.literal(&import.source);
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        self.literal(&export.source);
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.literal(&export.source);
    }

    /// `import a = require("x")` of TypeScript.
    fn visit_ts_external_module_reference(&mut self, module: &TSExternalModuleReference<'a>) {
        self.literal(&module.expression);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        match &import.source {
            Expression::StringLiteral(literal) => self.literal(literal),
            Expression::TemplateLiteral(template) => self.template(template),
            _ => {}
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if is_require(&call.callee) {
            self.argument(call.arguments.first());
        }
        walk::walk_call_expression(self, call);
    }

    /// `new require("x")` is a call of `require`.
    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        if is_require(&new.callee) {
            self.argument(new.arguments.first());
        }
        walk::walk_new_expression(self, new);
    }
}

/// `require(…)` and `require.resolve(…)`.
fn is_require(callee: &Expression<'_>) -> bool {
    match callee {
        Expression::Identifier(name) => name.name == "require",
        Expression::StaticMemberExpression(member) => {
            member.property.name == "resolve" && is_require(&member.object)
        }
        _ => false,
    }
}
