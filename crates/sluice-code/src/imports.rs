//! The imports of a module: every place where it names another one by a literal.

use std::collections::HashSet;

use oxc_ast::ast::{
    Argument, CallExpression, ExportAllDeclaration, ExportFromDeclaration, Expression,
    IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier, ImportExpression,
    ImportOrExportKind, NewExpression, Program, StringLiteral, TSClassImplements,
    TSExternalModuleReference, TSInterfaceDeclaration, TSType, WithClause,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

#[derive(Debug, Clone)]
pub(crate) struct Import {
    pub(crate) specifier: String,
    /// The byte offset of the literal.
    pub(crate) offset: usize,
    /// The byte offset after the literal.
    pub(crate) end: usize,
    pub(crate) kind: ImportKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportKind {
    /// `require(…)`, which takes a path.
    Require,
    /// All other forms, which take a URL.
    Module {
        /// The byte offset after the attributes (`with { type: "json" }`), or after the literal without them.
        attributes_end: usize,
        /// Whether nothing that is imported is used as a value, so that the import may lead nowhere.
        may_be_types: bool,
    },
}

/// In the order of the text. Specifiers that are only known at run time are not listed, nor are imports of types alone.
pub(crate) fn of(program: &Program<'_>, is_module: bool) -> Vec<Import> {
    let mut collector = Collector {
        imports: Vec::new(),
        names: Vec::new(),
        values: HashSet::new(),
        is_module,
        is_typescript: program.source_type.is_typescript(),
    };
    collector.visit_program(program);
    let Collector {
        mut imports,
        names,
        values,
        ..
    } = collector;
    for (index, names) in names {
        if let ImportKind::Module { may_be_types, .. } = &mut imports[index].kind {
            *may_be_types = !names.iter().any(|name| values.contains(name));
        }
    }
    imports
}

struct Collector {
    imports: Vec<Import>,
    /// The names that imports of TypeScript declare, by the index of the import.
    names: Vec<(usize, Vec<String>)>,
    /// The names that TypeScript uses as values.
    values: HashSet<String>,
    is_module: bool,
    is_typescript: bool,
}

impl Collector {
    fn module(&mut self, literal: &StringLiteral<'_>, attributes: Option<&WithClause<'_>>) {
        let end = attributes.map_or(literal.span, |clause| clause.span).end;
        let kind = ImportKind::Module {
            attributes_end: end as usize,
            may_be_types: false,
        };
        self.add(literal.value.as_str(), literal.span, kind);
    }

    fn add(&mut self, specifier: &str, literal: Span, kind: ImportKind) {
        self.imports.push(Import {
            specifier: specifier.to_owned(),
            offset: literal.start as usize,
            end: literal.end as usize,
            kind,
        });
    }

    fn require(&mut self, argument: Option<&Argument<'_>>) {
        let expression = argument.and_then(Argument::as_expression);
        if let Some((specifier, literal)) = expression.and_then(text_of) {
            self.add(&specifier, literal, ImportKind::Require);
        }
    }
}

/// `type X` among other names.
fn is_type(specifier: &ImportDeclarationSpecifier<'_>) -> bool {
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            named.import_kind == ImportOrExportKind::Type
        }
        _ => false,
    }
}

/// The value of a literal.
fn text_of(expression: &Expression<'_>) -> Option<(String, Span)> {
    match expression {
        Expression::StringLiteral(literal) => Some((literal.value.to_string(), literal.span)),
        Expression::TemplateLiteral(template) => {
            let text = template.single_quasi()?;
            Some((text.to_string(), template.span))
        }
        _ => None,
    }
}

impl<'a> Visit<'a> for Collector {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        if let Some(specifiers) = import.specifiers.as_ref().filter(|_| self.is_typescript) {
            let names = specifiers.iter().filter(|specifier| !is_type(specifier));
            let names = names.map(|specifier| specifier.local().name.to_string());
            self.names.push((self.imports.len(), names.collect()));
        }
        self.module(&import.source, import.with_clause.as_deref());
    }

    fn visit_identifier_reference(&mut self, reference: &IdentifierReference<'a>) {
        if self.is_typescript {
            self.values.insert(reference.name.to_string());
        }
    }

    /// Types name no values and import nothing that runs.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        if export.export_kind == ImportOrExportKind::Value {
            self.module(&export.source, export.with_clause.as_deref());
        }
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        if export.export_kind == ImportOrExportKind::Value {
            self.module(&export.source, export.with_clause.as_deref());
        }
    }

    /// `import a = require("x")` of TypeScript, which becomes an import in an ES module.
    fn visit_ts_external_module_reference(&mut self, module: &TSExternalModuleReference<'a>) {
        let literal = &module.expression;
        if self.is_module {
            self.module(literal, None);
        } else {
            self.add(literal.value.as_str(), literal.span, ImportKind::Require);
        }
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Some((specifier, literal)) = text_of(&import.source) {
            let end = import.options.as_ref().map_or(literal, GetSpan::span).end;
            let kind = ImportKind::Module {
                attributes_end: end as usize,
                may_be_types: false,
            };
            self.add(&specifier, literal, kind);
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if is_require(&call.callee) {
            self.require(call.arguments.first());
        }
        walk::walk_call_expression(self, call);
    }

    /// `new require("x")` is a call of `require`.
    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        if is_require(&new.callee) {
            self.require(new.arguments.first());
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
