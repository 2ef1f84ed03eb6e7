//! Stand-ins for packages, for code that is analysed without installing them: every import from a package becomes a value
//! of the harness.

use std::ops::Range;

use oxc_ast::ast::{
    ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ImportOrExportKind, ModuleExportName, Program,
    TSImportEqualsDeclaration, TSModuleReference,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;
use sluice_model::Edit;

use crate::specifier::Specifier;

/// The function of the harness that makes stand-ins. `require` makes them by itself.
const STAND_IN: &str = "__sluiceStandIn";

/// The changes that put stand-ins in place of packages.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandIns {
    /// In the order of the text.
    replaced: Vec<ReplacedImport>,
    exports: usize,
}

/// An import from a package.
#[derive(Debug, Clone)]
struct ReplacedImport {
    specifier: String,
    range: Range<usize>,
    replacement: String,
    /// The constants that the import becomes.
    declarations: String,
}

impl StandIns {
    pub(crate) fn of(program: &Program<'_>) -> StandIns {
        let mut stand_ins = StandIns::default();
        stand_ins.visit_program(program);
        stand_ins.replaced.sort_by_key(|import| import.range.start);
        stand_ins
    }

    /// The edits that make a constant of each import from a package, except for specifiers that are files of the tree.
    /// Every line stays where it is.
    pub(crate) fn edits(&self, code: &str, is_file: impl Fn(&str) -> bool) -> Vec<Edit> {
        let mut declarations = String::new();
        let mut edits = Vec::new();
        for import in &self.replaced {
            if is_file(&import.specifier) {
                continue;
            }
            declarations += &import.declarations;
            let line_breaks = code[import.range.clone()].matches('\n').count();
            edits.push(Edit {
                start: import.range.start,
                end: import.range.end,
                text: format!("{}{}", import.replacement, "\n".repeat(line_breaks)),
            });
        }
        if !declarations.is_empty() {
            // Imports are evaluated before the first statement, wherever they are written.
            let start = after_hashbang(code);
            let text = declarations;
            edits.insert(
                0,
                Edit {
                    start,
                    end: start,
                    text,
                },
            );
        }
        edits
    }

    pub(crate) fn map_offsets(&mut self, map: impl Fn(usize) -> usize) {
        for import in &mut self.replaced {
            import.range = map(import.range.start)..map(import.range.end);
        }
    }

    fn replace(&mut self, specifier: &str, span: Span, replacement: String, declarations: String) {
        self.replaced.push(ReplacedImport {
            specifier: specifier.to_owned(),
            range: span.start as usize..span.end as usize,
            replacement,
            declarations,
        });
    }

    /// The declaration of an export.
    fn export(&mut self, exported: &ModuleExportName<'_>, value: &str) -> String {
        let local = format!("{STAND_IN}{}", self.exports);
        self.exports += 1;
        let exported = quoted(exported.name().as_str());
        let declaration = declare(&local, value);
        format!("{declaration}export {{ {local} as {exported} }}; ")
    }
}

impl<'a> Visit<'a> for StandIns {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let Some(package) = package(&import.source.value) else {
            return;
        };
        let mut declarations = String::new();
        let is_value = import.import_kind == ImportOrExportKind::Value;
        for specifier in import.specifiers.iter().flatten().filter(|_| is_value) {
            let (local, value) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named)
                    if named.import_kind == ImportOrExportKind::Type =>
                {
                    continue;
                }
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
            declarations += &declare(local.name.as_str(), &value);
        }
        self.replace(
            &import.source.value,
            import.span,
            String::new(),
            declarations,
        );
    }

    /// `import a = require("x")` of TypeScript.
    fn visit_ts_import_equals_declaration(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        if let TSModuleReference::ExternalModuleReference(module) = &import.module_reference
            && let Some(package) = package(&module.expression.value)
        {
            let declaration = declare(import.id.name.as_str(), &package);
            let specifier = &module.expression.value;
            self.replace(specifier, import.span, String::new(), declaration);
        }
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        let Some(package) = package(&export.source.value) else {
            return;
        };
        let mut declarations = String::new();
        let is_value = export.export_kind == ImportOrExportKind::Value;
        for specifier in export.specifiers.iter().filter(|_| is_value) {
            if specifier.export_kind == ImportOrExportKind::Value {
                let value = member(&package, &specifier.local);
                declarations += &self.export(&specifier.exported, &value);
            }
        }
        self.replace(
            &export.source.value,
            export.span,
            String::new(),
            declarations,
        );
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        let Some(package) = package(&export.source.value) else {
            return;
        };
        let is_value = export.export_kind == ImportOrExportKind::Value;
        let exported = export.exported.as_ref().filter(|_| is_value);
        let declaration = exported.map(|exported| self.export(exported, &package));
        let declarations = declaration.unwrap_or_default();
        self.replace(
            &export.source.value,
            export.span,
            String::new(),
            declarations,
        );
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(literal) = &import.source
            && let Some(package) = package(&literal.value)
        {
            let replacement = format!("Promise.resolve({package})");
            self.replace(&literal.value, import.span, replacement, String::new());
            return;
        }
        walk::walk_import_expression(self, import);
    }
}

fn declare(local: &str, value: &str) -> String {
    format!("const {local} = {value}; ")
}

/// The byte offset of the first line that is code.
fn after_hashbang(code: &str) -> usize {
    if code.starts_with("#!") {
        code.find('\n').map_or(code.len(), |end| end + 1)
    } else {
        0
    }
}

/// The expression that stands in for a package.
fn package(specifier: &str) -> Option<String> {
    match Specifier::parse(specifier) {
        Specifier::Package(_) => Some(format!("{STAND_IN}({})", quoted(specifier))),
        Specifier::BadVersion
        | Specifier::Npm(_)
        | Specifier::Jsr
        | Specifier::Relative
        | Specifier::Other => None,
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
    use sluice_model::{CodeFile, CodeFiles, FileLink};

    use super::*;
    use crate::{language::Language, parse::parse};

    fn without_packages(code: &str) -> String {
        let parsed = parse(code, Some(Language::JavaScript), |parsed| {
            StandIns::of(&parsed.program)
        });
        let (_, stand_ins) = parsed.unwrap_or_else(|_| panic!("{code} parses"));
        let entry = CodeFile {
            link: FileLink {
                edits: stand_ins.edits(code, |specifier| specifier == "file"),
                ..FileLink::unnamed("mjs")
            },
            text: code.into(),
        };
        let files = CodeFiles {
            entry,
            others: Vec::new(),
        };
        let (_, text) = files.laid_out().next().expect("there is a file");
        text.into_owned()
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
