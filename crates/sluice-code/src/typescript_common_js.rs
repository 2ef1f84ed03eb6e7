//! The way in which TypeScript writes CommonJS: `import x = require("y")` and `export = x`.
//!
//! Deno runs it in CommonJS. A file that mixes it with the syntax of ES modules is one, with edits.

use oxc_ast::ast::{
    Declaration, ImportOrExportKind, Program, Statement, TSExternalModuleReference,
    TSModuleReference,
};
use oxc_span::{GetSpan, Span};
use sluice_model::Edit;

pub(crate) enum TypeScriptForm {
    /// There is nothing of the kind.
    Neither,
    CommonJs,
    /// An ES module with these edits, in the order of the text.
    Mixed(Vec<Edit>),
}

impl TypeScriptForm {
    pub(crate) fn of(program: &Program<'_>) -> TypeScriptForm {
        let edits: Vec<Edit> = program
            .body
            .iter()
            .flat_map(|statement| edits(statement, program.source_text))
            .collect();
        if edits.is_empty() {
            TypeScriptForm::Neither
        } else if program.body.iter().any(is_module_syntax) {
            TypeScriptForm::Mixed(edits)
        } else {
            TypeScriptForm::CommonJs
        }
    }
}

/// The edits that make a statement one of an ES module.
fn edits(statement: &Statement<'_>, text: &str) -> Vec<Edit> {
    match statement {
        Statement::TSExportAssignment(export) => {
            let head = Span::new(export.span.start, export.expression.span().start);
            vec![replaced(head, "export default ", text)]
        }
        Statement::TSImportEqualsDeclaration(import) => match &import.module_reference {
            TSModuleReference::ExternalModuleReference(module) => {
                let TSExternalModuleReference {
                    expression, span, ..
                } = &**module;
                let head = Span::new(import.id.span.end, expression.span.start);
                let tail = Span::new(expression.span.end, span.end);
                vec![replaced(head, " from ", text), replaced(tail, "", text)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A replacement that keeps line breaks.
fn replaced(span: Span, replacement: &str, text: &str) -> Edit {
    let (start, end) = (span.start as usize, span.end as usize);
    let line_breaks = text[start..end].matches('\n').count();
    Edit {
        start,
        end,
        text: format!("{replacement}{}", "\n".repeat(line_breaks)),
    }
}

fn is_module_syntax(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ImportDeclaration(import) => import.import_kind == ImportOrExportKind::Value,
        Statement::ExportAllDeclaration(export) => export.export_kind == ImportOrExportKind::Value,
        Statement::ExportFromDeclaration(export) => export.export_kind == ImportOrExportKind::Value,
        Statement::ExportDefaultDeclaration(_) => true,
        Statement::ExportDeclaration(export) => !matches!(
            export.declaration,
            Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_)
        ),
        Statement::ExportNamedDeclaration(export) => {
            export.export_kind == ImportOrExportKind::Value
        }
        _ => false,
    }
}
