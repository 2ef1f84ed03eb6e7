//! Taking the packages out of code that is only looked at: what it imports from them becomes stand-ins of the harness.

use std::fmt::Write as _;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ModuleExportName, Program,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;

use crate::{
    analysis::{self, Language},
    deep_stack::with_room_for,
    packages::Specifier,
};

/// What the harness calls the function that gives them. `require` gives them by itself.
const STAND_IN: &str = "__sluiceStandIn";

/// The same module with a constant for each import from a package. Every line stays where it is.
pub(crate) fn without_packages(code: &str) -> String {
    with_room_for(code, || rewritten(code)).unwrap_or_else(|| code.to_owned())
}

fn rewritten(code: &str) -> String {
    let allocator = Allocator::default();
    let parsed = analysis::parse(&allocator, code, Language::JavaScript.source_type());
    let found = Found::of(&parsed.program);
    let mut text = code.to_owned();
    for (span, replacement) in found.edits.iter().rev() {
        let (start, end) = (span.start as usize, span.end as usize);
        let line_breaks = "\n".repeat(code[start..end].matches('\n').count());
        text.replace_range(start..end, &format!("{replacement}{line_breaks}"));
    }
    // Imports are there before the first statement runs, wherever they stand.
    let start = match text.strip_prefix("#!") {
        Some(rest) => text.len() - rest.find('\n').map_or(0, |at| rest.len() - at - 1),
        None => 0,
    };
    text.insert_str(start, &found.declarations);
    text
}

#[derive(Default)]
struct Found {
    declarations: String,
    /// In the order of the text.
    edits: Vec<(Span, String)>,
    exports: usize,
}

impl Found {
    fn of(program: &Program<'_>) -> Found {
        let mut found = Found::default();
        found.visit_program(program);
        found.edits.sort_by_key(|(span, _)| span.start);
        found
    }

    fn remove(&mut self, span: Span) {
        self.edits.push((span, String::new()));
    }

    fn declare(&mut self, local: &str, value: &str) {
        let _ = write!(self.declarations, "const {local} = {value}; ");
    }

    fn export(&mut self, exported: &ModuleExportName<'_>, value: &str) {
        let local = format!("{STAND_IN}{}", self.exports);
        self.exports += 1;
        self.declare(&local, value);
        let exported = quoted(exported.name().as_str());
        let _ = write!(self.declarations, "export {{ {local} as {exported} }}; ");
    }
}

impl<'a> Visit<'a> for Found {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let Some(package) = package(&import.source.value) else {
            return;
        };
        self.remove(import.span);
        for specifier in import.specifiers.iter().flatten() {
            let (local, value) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, member(&package, &named.imported))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    (&default.local, format!("{package}.default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => {
                    (&all.local, package.clone())
                }
            };
            self.declare(local.name.as_str(), &value);
        }
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        let Some(package) = package(&export.source.value) else {
            return;
        };
        self.remove(export.span);
        for specifier in &export.specifiers {
            self.export(&specifier.exported, &member(&package, &specifier.local));
        }
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        let Some(package) = package(&export.source.value) else {
            return;
        };
        self.remove(export.span);
        if let Some(exported) = &export.exported {
            self.export(exported, &package);
        }
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(literal) = &import.source
            && let Some(package) = package(&literal.value)
        {
            let promise = format!("Promise.resolve({package})");
            self.edits.push((import.span, promise));
            return;
        }
        walk::walk_import_expression(self, import);
    }
}

/// The expression for a package; none for what is no package.
fn package(specifier: &str) -> Option<String> {
    match Specifier::parse(specifier) {
        Specifier::Package(_) => Some(format!("{STAND_IN}({})", quoted(specifier))),
        Specifier::BadVersion | Specifier::Relative | Specifier::Other => None,
    }
}

fn member(package: &str, name: &ModuleExportName<'_>) -> String {
    format!("{package}[{}]", quoted(name.name().as_str()))
}

/// JSON is a string literal of JavaScript.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_import_becomes_a_constant_on_the_first_line() {
        let code = "import a, { b as c, \"d-e\" as f } from 'x';\nimport * as g from\n  '@s/y/z';\nimport 'side';\nrun();";
        assert_eq!(
            without_packages(code),
            "const a = __sluiceStandIn(\"x\").default; const c = __sluiceStandIn(\"x\")[\"b\"]; \
             const f = __sluiceStandIn(\"x\")[\"d-e\"]; const g = __sluiceStandIn(\"@s/y/z\"); \n\n\n\nrun();"
        );
    }

    #[test]
    fn what_is_exported_again_stays_exported() {
        let code =
            "export { default as a, b } from 'x'; export * as c from 'y'; export * from 'z';";
        let rewritten = without_packages(code);
        for part in [
            "const __sluiceStandIn0 = __sluiceStandIn(\"x\")[\"default\"]; export { __sluiceStandIn0 as \"a\" };",
            "const __sluiceStandIn1 = __sluiceStandIn(\"x\")[\"b\"]; export { __sluiceStandIn1 as \"b\" };",
            "const __sluiceStandIn2 = __sluiceStandIn(\"y\"); export { __sluiceStandIn2 as \"c\" };",
        ] {
            assert!(rewritten.contains(part), "{rewritten}");
        }
        assert!(!rewritten.contains("'z'"), "{rewritten}");
    }

    #[test]
    fn imports_at_run_time_become_promises_and_nodes_own_modules_stay() {
        let code = "import fs from 'fs'; import 'node:http'; const x = await import('x');";
        assert_eq!(
            without_packages(code),
            "import fs from 'fs'; import 'node:http'; const x = await Promise.resolve(__sluiceStandIn(\"x\"));"
        );
    }

    #[test]
    fn a_hashbang_stays_first() {
        assert_eq!(
            without_packages("#!/usr/bin/env node\nimport a from 'a';\na();"),
            "#!/usr/bin/env node\nconst a = __sluiceStandIn(\"a\").default; \na();"
        );
    }
}
