//! The outcome of one parse of a module.

use std::sync::Arc;

use oxc_ast::ast::{Program, Statement, TSModuleReference};
use oxc_parser::ParserReturn;
use sluice_model::{CodeError, ModuleFormat};

use crate::{
    auth_fields::{self, AuthFields},
    imports::{self, Import},
    language::Language,
    nesting,
    parse::parse,
    position::{error_at, position},
    specifier::{PackageRequest, Specifier},
    stand_ins::StandIns,
};

/// A module's code and everything that callers need from its syntax tree, so that code is parsed once.
#[derive(Debug, Clone)]
pub struct ParsedModule {
    code: Arc<str>,
    language: Language,
    contents: Contents,
    packages: Vec<PackageImport>,
    relative_import: Option<RelativeImport>,
}

/// An import of a package, where it comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageImport {
    pub request: PackageRequest,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// An import of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativeImport {
    pub specifier: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl ParsedModule {
    /// Parses code; the language is detected unless it is given. Reports all errors, including imports of packages with
    /// versions that npm does not know.
    pub fn parse(
        code: impl Into<Arc<str>>,
        language: Option<Language>,
    ) -> Result<ParsedModule, Vec<CodeError>> {
        let code = code.into();
        let (language, contents) =
            parse(&code, language, Contents::of).map_err(|error| error.errors)?;
        ParsedModule::new(code, language, contents)
    }

    pub(crate) fn new(
        code: Arc<str>,
        language: Language,
        contents: Contents,
    ) -> Result<ParsedModule, Vec<CodeError>> {
        let mut packages: Vec<PackageImport> = Vec::new();
        let mut relative_import = None;
        let mut errors = Vec::new();
        for Import { specifier, offset } in &contents.imports {
            match Specifier::parse(specifier) {
                Specifier::Package(request) => {
                    if packages.iter().all(|package| package.request != request) {
                        let (line, column) = position(&code, *offset);
                        packages.push(PackageImport {
                            request,
                            line,
                            column,
                        });
                    }
                }
                Specifier::BadVersion => {
                    let message = format!("{specifier:?} does not name a version that npm knows");
                    errors.push(error_at(&code, *offset, message));
                }
                Specifier::Relative if relative_import.is_none() => {
                    let (line, column) = position(&code, *offset);
                    relative_import = Some(RelativeImport {
                        specifier: specifier.clone(),
                        line,
                        column,
                    });
                }
                Specifier::Relative | Specifier::Other => {}
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(ParsedModule {
            code,
            language,
            contents,
            packages,
            relative_import,
        })
    }

    pub fn code(&self) -> &Arc<str> {
        &self.code
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// CommonJS or an ES module, by the syntax.
    pub fn format(&self) -> ModuleFormat {
        self.contents.format
    }

    /// Each package once, in the order of first imports.
    pub fn packages(&self) -> &[PackageImport] {
        &self.packages
    }

    /// The first import of a file beside this one.
    pub fn relative_import(&self) -> Option<&RelativeImport> {
        self.relative_import.as_ref()
    }

    /// The credential fields that the code reads.
    pub fn auth_fields(&self) -> &AuthFields {
        &self.contents.auth_fields
    }

    /// The code with a stand-in for everything that it imports from packages. Every line stays where it is.
    pub fn without_packages(&self) -> String {
        self.contents.stand_ins.apply(&self.code)
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }
}

/// The findings in a syntax tree, with byte offsets.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    pub(crate) format: ModuleFormat,
    pub(crate) imports: Vec<Import>,
    pub(crate) tree_depth: usize,
    auth_fields: AuthFields,
    stand_ins: StandIns,
}

impl Contents {
    pub(crate) fn of(parsed: &ParserReturn<'_>) -> Contents {
        let program = &parsed.program;
        let is_module = parsed.module_record.has_module_syntax && !is_typescript_common_js(program);
        Contents {
            format: if is_module {
                ModuleFormat::EsModule
            } else {
                ModuleFormat::CommonJs
            },
            imports: imports::of(program),
            tree_depth: nesting::tree_depth(program),
            auth_fields: auth_fields::of(program),
            stand_ins: StandIns::of(program),
        }
    }

    /// The same contents for changed code, in which offsets became others.
    pub(crate) fn with_offsets(mut self, map: impl Fn(usize) -> usize) -> Contents {
        for import in &mut self.imports {
            import.offset = map(import.offset);
        }
        self.stand_ins.map_offsets(map);
        self
    }
}

/// `export = …` and `import x = require(…)` are how TypeScript writes CommonJS.
fn is_typescript_common_js(program: &Program<'_>) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::TSExportAssignment(_) => true,
        Statement::TSImportEqualsDeclaration(import) => matches!(
            import.module_reference,
            TSModuleReference::ExternalModuleReference(_)
        ),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn javascript(code: &str) -> Result<ParsedModule, Vec<CodeError>> {
        ParsedModule::parse(code, Some(Language::JavaScript))
    }

    fn format(code: &str, language: Language) -> ModuleFormat {
        let module = ParsedModule::parse(code, Some(language)).expect("it parses");
        module.format()
    }

    #[test]
    fn the_syntax_decides_the_format() {
        for (code, expected) in [
            ("module.exports = { run() {} }", ModuleFormat::CommonJs),
            (
                "import fs from 'fs'; export default {}",
                ModuleFormat::EsModule,
            ),
            ("if (1) { return } with (Math) {}", ModuleFormat::CommonJs),
        ] {
            assert_eq!(format(code, Language::JavaScript), expected, "{code}");
        }
        for (code, expected) in [
            ("const a: number = 1; export { a }", ModuleFormat::EsModule),
            (
                "const a: number = 1; module.exports = a",
                ModuleFormat::CommonJs,
            ),
            ("const a = 1; export = a", ModuleFormat::CommonJs),
            (
                "import a = require('a'); export default a",
                ModuleFormat::CommonJs,
            ),
            ("import a = B.c; export default a", ModuleFormat::EsModule),
        ] {
            assert_eq!(format(code, Language::TypeScript), expected, "{code}");
        }
    }

    #[test]
    fn a_syntax_error_has_its_position() {
        let errors = javascript("module.exports = {\n  name: 'é' oops\n}").unwrap_err();
        assert_eq!((errors[0].line, errors[0].column), (Some(2), Some(13)));
        assert!(errors[0].message.starts_with("SyntaxError: "));
    }

    #[test]
    fn each_package_is_listed_once() {
        let code = "
            import axios, { type } from 'axios';
            import 'side/effect.js';
            export * from '@scope/all@^2';
            export { x } from 'x@1.2.3/deep';
            import fs from 'fs'; import http from 'node:http'; import './own.mjs'; import y from 'https://a.test/y.js';
            const again = await import('axios');
            const lazy = () => import(`lazy`);
            function f() { return require('needed')(require.resolve('resolved')); }
            const unknown = require(process.argv[2]), made = new require('made')();
            export default { run() { const require = 'shadowed'; } };";
        let module = javascript(code).unwrap();
        let packages = module.packages();
        let aliases: Vec<&str> = packages
            .iter()
            .map(|package| package.request.alias())
            .collect();
        assert_eq!(
            aliases,
            [
                "axios",
                "side",
                "@scope/all@^2",
                "x@1.2.3",
                "lazy",
                "needed",
                "resolved",
                "made"
            ]
        );
        assert_eq!((packages[0].line, packages[0].column), (Some(2), Some(41)));
        let relative = module.relative_import().expect("it imports a file");
        assert_eq!(relative.specifier, "./own.mjs");
    }

    #[test]
    fn an_impossible_version_is_an_error_with_its_position() {
        let errors = javascript("const a = require('axios@not a version')").unwrap_err();
        assert_eq!((errors[0].line, errors[0].column), (Some(1), Some(19)));
        assert!(errors[0].message.contains("axios@not a version"));
    }
}
