//! The outcome of one parse of a module.

use std::sync::Arc;

use oxc_parser::ParserReturn;
use sluice_model::{CodeError, Edit, ModuleFormat};

use crate::{
    auth::FileAuth,
    imports::{self, Import, ImportKind},
    language::Language,
    parse::{parse, parse_file},
    position::{error_at, position},
    specifier::{PackageRequest, Specifier},
    stand_ins::StandIns,
    static_shape::Program,
    typescript_common_js::TypeScriptForm,
};

/// A module's code and everything that callers need from its syntax tree, so that code is parsed once.
#[derive(Debug, Clone)]
pub struct ParsedModule {
    code: Arc<str>,
    language: Language,
    contents: Arc<Contents>,
    packages: Vec<PackageImport>,
    relative_import: Option<RelativeImport>,
}

/// An import of a package, where it comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageImport {
    pub request: PackageRequest,
    /// The file that imports it; `None` for the first file of the component.
    pub file: Option<String>,
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
        let packages = packages(&code, &contents.imports, |_| false)?;
        let mut imports = contents.imports.iter();
        let relative =
            imports.find(|import| Specifier::parse(&import.specifier) == Specifier::Relative);
        let relative_import = relative.map(|import| {
            let (line, column) = position(&code, import.offset);
            RelativeImport {
                specifier: import.specifier.clone(),
                line,
                column,
            }
        });
        Ok(ParsedModule {
            code,
            language,
            contents: Arc::new(contents),
            packages,
            relative_import,
        })
    }

    /// Parses a file of a tree, whose name tells its language.
    pub(crate) fn parse_file(
        code: Arc<str>,
        language: Language,
    ) -> Result<ParsedModule, Vec<CodeError>> {
        let contents = parse_file(&code, language, Contents::of).map_err(|error| error.errors)?;
        ParsedModule::new(code, language, contents)
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

    /// As [`Self::packages`], without the specifiers that are files.
    pub(crate) fn packages_except(&self, is_file: impl Fn(&str) -> bool) -> Vec<PackageImport> {
        // Without files there were no errors, so there are none with them.
        packages(&self.code, &self.contents.imports, is_file).unwrap_or_default()
    }

    /// The first import of a file beside this one.
    pub fn relative_import(&self) -> Option<&RelativeImport> {
        self.relative_import.as_ref()
    }

    /// The credential fields that the code reads.
    pub(crate) fn auth(&self) -> &FileAuth {
        &self.contents.auth
    }

    pub(crate) fn imports(&self) -> &[Import] {
        &self.contents.imports
    }

    /// The changes without which Deno would not run the code, in the order of the text.
    pub(crate) fn edits(&self) -> &[Edit] {
        &self.contents.edits
    }

    pub(crate) fn stand_ins(&self) -> &StandIns {
        &self.contents.stand_ins
    }

    /// The values that the file declares, if its load has no side effects.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.contents.program.as_deref()
    }
}

/// Each package once, or the errors of specifiers that name no package of npm.
fn packages(
    code: &str,
    imports: &[Import],
    is_file: impl Fn(&str) -> bool,
) -> Result<Vec<PackageImport>, Vec<CodeError>> {
    let mut packages: Vec<PackageImport> = Vec::new();
    let mut errors = Vec::new();
    for import in imports.iter().filter(|import| !is_file(&import.specifier)) {
        match Specifier::parse(&import.specifier) {
            Specifier::Package(request) => {
                if packages.iter().all(|package| package.request != request) {
                    let (line, column) = position(code, import.offset);
                    packages.push(PackageImport {
                        request,
                        file: None,
                        line,
                        column,
                    });
                }
            }
            Specifier::BadVersion => {
                let specifier = &import.specifier;
                let message = format!("{specifier:?} does not name a version that npm knows");
                errors.push(error_at(code, import.offset, message));
            }
            Specifier::Npm(package) => {
                let message = format!(
                    "{:?} has a prefix that components do not need: write {package:?}",
                    import.specifier
                );
                errors.push(error_at(code, import.offset, message));
            }
            Specifier::Jsr => {
                let message = format!(
                    "{:?} is a package of jsr.io: components import packages of npm, such as \"axios\"",
                    import.specifier
                );
                errors.push(error_at(code, import.offset, message));
            }
            Specifier::Relative | Specifier::Other => {}
        }
    }
    if errors.is_empty() {
        Ok(packages)
    } else {
        Err(errors)
    }
}

/// The findings in a syntax tree, with byte offsets.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    pub(crate) format: ModuleFormat,
    pub(crate) imports: Vec<Import>,
    /// The changes without which Deno would not run the code.
    edits: Vec<Edit>,
    auth: FileAuth,
    stand_ins: StandIns,
    program: Option<Arc<Program>>,
}

impl Contents {
    pub(crate) fn of(parsed: &ParserReturn<'_>) -> Contents {
        let program = &parsed.program;
        let has_module_syntax = parsed.module_record.has_module_syntax;
        let (is_module, edits) = match TypeScriptForm::of(program) {
            TypeScriptForm::Neither => (has_module_syntax, Vec::new()),
            TypeScriptForm::CommonJs => (false, Vec::new()),
            TypeScriptForm::Mixed(edits) => (true, edits),
        };
        let format = if is_module {
            ModuleFormat::EsModule
        } else {
            ModuleFormat::CommonJs
        };
        let imports = imports::of(program, is_module);
        Contents {
            format,
            edits,
            auth: FileAuth::of(program),
            stand_ins: StandIns::of(program),
            program: Program::of(program, format, &imports).map(Arc::new),
            imports,
        }
    }

    /// The same contents for changed code, in which offsets became others.
    pub(crate) fn with_offsets(mut self, map: impl Fn(usize) -> usize) -> Contents {
        for import in &mut self.imports {
            import.offset = map(import.offset);
            import.end = map(import.end);
            if let ImportKind::Module { attributes_end, .. } = &mut import.kind {
                *attributes_end = map(*attributes_end);
            }
        }
        for edit in &mut self.edits {
            (edit.start, edit.end) = (map(edit.start), map(edit.end));
        }
        self.stand_ins.map_offsets(map);
        self
    }
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
                "import a = require('a'); export = a",
                ModuleFormat::CommonJs,
            ),
            (
                "import a = require('a'); export default a",
                ModuleFormat::EsModule,
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
