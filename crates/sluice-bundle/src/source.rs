//! Reading a file's text without running it.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement, TSModuleReference};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use rolldown::ModuleType;
use sluice_model::ModuleFormat;

use crate::Location;

/// What an import without an extension may mean, in the order in which it is tried.
pub(crate) const EXTENSIONS: [&str; 7] = ["mjs", "js", "cjs", "ts", "mts", "cts", "json"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    JavaScript,
    TypeScript,
    Json,
}

impl SourceKind {
    /// `None` when it is none of them. A file without an extension is JavaScript, as in Node.
    pub(crate) fn of(location: &Location) -> Option<SourceKind> {
        match location.extension() {
            None | Some("mjs" | "js" | "cjs") => Some(SourceKind::JavaScript),
            Some("ts" | "mts" | "cts") => Some(SourceKind::TypeScript),
            Some("json") => Some(SourceKind::Json),
            Some(_) => None,
        }
    }

    fn source_type(self) -> SourceType {
        match self {
            SourceKind::TypeScript => SourceType::ts().with_unambiguous(true),
            SourceKind::JavaScript | SourceKind::Json => SourceType::unambiguous(),
        }
    }
}

impl From<SourceKind> for ModuleType {
    fn from(kind: SourceKind) -> ModuleType {
        match kind {
            SourceKind::JavaScript => ModuleType::Js,
            SourceKind::TypeScript => ModuleType::Ts,
            SourceKind::Json => ModuleType::Json,
        }
    }
}

/// Whether a file is CommonJS or an ES module: by its extension, else by its syntax.
pub(crate) fn module_format(location: &Location, kind: SourceKind, text: &str) -> ModuleFormat {
    match location.extension() {
        Some("mjs" | "mts" | "json") => return ModuleFormat::EsModule,
        Some("cjs") => return ModuleFormat::CommonJs,
        _ => {}
    }
    let allocator = Allocator::default();
    let parsed = parse(&allocator, kind, text);
    if parsed.module_record.has_module_syntax && !is_typed_common_js(&parsed.program) {
        ModuleFormat::EsModule
    } else {
        ModuleFormat::CommonJs
    }
}

/// `export = …` and `import x = require(…)` are how TypeScript writes CommonJS.
fn is_typed_common_js(program: &Program<'_>) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::TSExportAssignment(_) => true,
        Statement::TSImportEqualsDeclaration(import) => matches!(
            import.module_reference,
            TSModuleReference::ExternalModuleReference(_)
        ),
        _ => false,
    })
}

/// Where in a file `specifier` is first imported or required, as a byte offset.
pub(crate) fn offset_of_import(kind: SourceKind, text: &str, specifier: &str) -> Option<usize> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, kind, text);
    let requested = parsed.module_record.requested_modules.get(specifier);
    if let Some(request) = requested.and_then(|requests| requests.first()) {
        return Some(request.span.start as usize);
    }
    // The parser lists no calls of `require`, but the string stands in them as it is.
    ['"', '\'', '`']
        .iter()
        .filter_map(|quote| text.find(&format!("{quote}{specifier}{quote}")))
        .min()
}

pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    kind: SourceKind,
    text: &'a str,
) -> oxc_parser::ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    Parser::new(allocator, text, kind.source_type())
        .with_options(options)
        .parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_or_else_the_syntax_gives_the_format() {
        let format = |name: &str, text: &str| {
            let location = Location::new(name);
            let kind = SourceKind::of(&location).expect("it is code");
            module_format(&location, kind, text)
        };
        assert_eq!(format("a.mjs", "1"), ModuleFormat::EsModule);
        assert_eq!(format("a.cjs", "1"), ModuleFormat::CommonJs);
        assert_eq!(format("a.js", "exports.a = 1"), ModuleFormat::CommonJs);
        assert_eq!(format("a.js", "export default 1"), ModuleFormat::EsModule);
        assert_eq!(
            format("a.ts", "const a: number = 1; export { a }"),
            ModuleFormat::EsModule
        );
        assert_eq!(
            format("a.ts", "const a: number = 1; module.exports = a"),
            ModuleFormat::CommonJs
        );
        assert_eq!(
            format("a.ts", "const a = 1; export = a"),
            ModuleFormat::CommonJs
        );
        assert_eq!(
            format("a.ts", "import a = require('a'); export default a"),
            ModuleFormat::CommonJs
        );
        assert_eq!(
            format("a.ts", "import a = B.c; export default a"),
            ModuleFormat::EsModule
        );
    }

    #[test]
    fn an_import_is_found_where_it_stands() {
        let offset = |text: &str| offset_of_import(SourceKind::JavaScript, text, "./a");
        assert_eq!(offset("// './a'\nimport x from './a'"), Some(23));
        assert_eq!(offset("const a = require(\"./a\")"), Some(18));
        assert_eq!(offset("const a = 1"), None);
    }
}
