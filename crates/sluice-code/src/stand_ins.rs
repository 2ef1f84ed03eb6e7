//! Stand-ins for packages, for code that is analysed without installing them: every import from a package becomes a value
//! of the harness.

use std::{fmt::Write as _, ops::Range};

use oxc_ast::ast::{
    ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ModuleExportName, Program,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;

use crate::specifier::Specifier;

/// The function of the harness that makes stand-ins. `require` makes them by itself.
const STAND_IN: &str = "__sluiceStandIn";

/// The edits that put stand-ins in place of packages.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandIns {
    declarations: String,
    /// In the order of the text.
    edits: Vec<(Range<usize>, String)>,
    exports: usize,
}

impl StandIns {
    pub(crate) fn of(program: &Program<'_>) -> StandIns {
        let mut stand_ins = StandIns::default();
        stand_ins.visit_program(program);
        stand_ins.edits.sort_by_key(|(range, _)| range.start);
        stand_ins
    }

    /// The same module with a constant for each import from a package. Every line stays where it is.
    pub(crate) fn apply(&self, code: &str) -> String {
        let mut text = code.to_owned();
        for (range, replacement) in self.edits.iter().rev() {
            let line_breaks = "\n".repeat(code[range.clone()].matches('\n').count());
            text.replace_range(range.clone(), &format!("{replacement}{line_breaks}"));
        }
        // Imports are evaluated before the first statement, wherever they are written.
        let start = match text.strip_prefix("#!") {
            Some(rest) => text.len() - rest.find('\n').map_or(0, |at| rest.len() - at - 1),
            None => 0,
        };
        text.insert_str(start, &self.declarations);
        text
    }

    pub(crate) fn map_offsets(&mut self, map: impl Fn(usize) -> usize) {
        for (range, _) in &mut self.edits {
            *range = map(range.start)..map(range.end);
        }
    }

    fn replace(&mut self, span: Span, replacement: String) {
        self.edits
            .push((span.start as usize..span.end as usize, replacement));
    }

    fn remove(&mut self, span: Span) {
        self.replace(span, String::new());
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

impl<'a> Visit<'a> for StandIns {
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
            self.replace(import.span, format!("Promise.resolve({package})"));
            return;
        }
        walk::walk_import_expression(self, import);
    }
}

/// The expression that stands in for a package.
fn package(specifier: &str) -> Option<String> {
    match Specifier::parse(specifier) {
        Specifier::Package(_) => Some(format!("{STAND_IN}({})", quoted(specifier))),
        Specifier::BadVersion | Specifier::Relative | Specifier::Other => None,
    }
}

fn member(package: &str, name: &ModuleExportName<'_>) -> String {
    format!("{package}[{}]", quoted(name.name().as_str()))
}

/// A JSON string is also a string literal of JavaScript.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, parse::parse};

    fn without_packages(code: &str) -> String {
        let parsed = parse(code, Some(Language::JavaScript), |parsed| {
            StandIns::of(&parsed.program)
        });
        let (_, stand_ins) = parsed.unwrap_or_else(|_| panic!("{code} parses"));
        stand_ins.apply(code)
    }

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
    fn re_exports_stay_exports() {
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
    fn dynamic_imports_become_promises_and_modules_of_node_stay() {
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
