//! Reading code without running it: is it a script or a module, does it parse at all, and which packages does it name?

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{LabeledSpan, SourceType};
use sluice_model::ModuleFormat;

use crate::{
    deep_stack::with_room_for,
    imports,
    packages::{PackageRequest, Specifier},
};

/// One reason why code does not load, with its place when it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFault {
    pub message: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl CodeFault {
    /// A fault that has no place in the code.
    pub(crate) fn of_the_whole(message: String) -> CodeFault {
        CodeFault {
            message,
            line: None,
            column: None,
        }
    }

    fn at(code: &str, offset: usize, message: String) -> CodeFault {
        let (line, column) = place(code, offset);
        CodeFault {
            message,
            line,
            column,
        }
    }
}

/// The languages a component can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    JavaScript,
    TypeScript,
}

impl Language {
    pub(crate) fn source_type(self) -> SourceType {
        match self {
            Language::JavaScript => SourceType::unambiguous(),
            Language::TypeScript => SourceType::unambiguous().with_typescript(true),
        }
    }
}

/// What the text of a component tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub format: ModuleFormat,
    /// Each package once, in the order of their first mention.
    pub packages: Vec<NamedPackage>,
    /// The first import of a file beside this one, when there is any.
    pub relative: Option<RelativeImport>,
}

/// An import of another file, and where the code has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativeImport {
    pub specifier: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// A package, and where the code names it first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPackage {
    pub request: PackageRequest,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// Reads code: its syntax decides whether it is CommonJS or an ES module. Every fault is reported.
pub fn read(code: &str, language: Language) -> Result<Reading, Vec<CodeFault>> {
    with_room_for(code, || reading(code, language)).unwrap_or_else(|| {
        Err(vec![CodeFault::of_the_whole(
            "SyntaxError: the code is nested too deeply".to_owned(),
        )])
    })
}

fn reading(code: &str, language: Language) -> Result<Reading, Vec<CodeFault>> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, code, language.source_type());
    if let Some(faults) = syntax_faults(code, &parsed) {
        return Err(faults);
    }
    let format = if parsed.module_record.has_module_syntax {
        ModuleFormat::EsModule
    } else {
        ModuleFormat::CommonJs
    };
    let mut packages: Vec<NamedPackage> = Vec::new();
    let mut relative = None;
    let mut faults = Vec::new();
    for import in imports::of(&parsed.program) {
        match Specifier::parse(&import.specifier) {
            Specifier::Package(request) => {
                if packages.iter().all(|known| known.request != request) {
                    let (line, column) = place(code, import.offset);
                    packages.push(NamedPackage {
                        request,
                        line,
                        column,
                    });
                }
            }
            Specifier::BadVersion => faults.push(CodeFault::at(
                code,
                import.offset,
                format!(
                    "{:?} does not name a version that npm knows",
                    import.specifier
                ),
            )),
            Specifier::Relative => {
                let (line, column) = place(code, import.offset);
                relative.get_or_insert(RelativeImport {
                    specifier: import.specifier,
                    line,
                    column,
                });
            }
            Specifier::Other => {}
        }
    }
    if faults.is_empty() {
        Ok(Reading {
            format,
            packages,
            relative,
        })
    } else {
        Err(faults)
    }
}

/// Which language `code` is written in. What parses as neither is taken for the one that gets further, so that its
/// faults are the author's and not those of the wrong grammar.
pub fn language(code: &str) -> Language {
    with_room_for(code, || apparent_language(code)).unwrap_or(Language::JavaScript)
}

fn apparent_language(code: &str) -> Language {
    let allocator = Allocator::default();
    let first_fault = |source_type| {
        let parsed = parse(&allocator, code, source_type);
        let faults = parsed.diagnostics.iter();
        let offsets = faults.map(|fault| fault.labels.first().map_or(0, LabeledSpan::offset));
        let first = offsets.min();
        if parsed.panicked {
            first.or(Some(0))
        } else {
            first
        }
    };
    let Some(in_javascript) = first_fault(Language::JavaScript.source_type()) else {
        return Language::JavaScript;
    };
    match first_fault(Language::TypeScript.source_type()) {
        Some(in_typescript) if in_typescript <= in_javascript => Language::JavaScript,
        _ => Language::TypeScript,
    }
}

pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    code: &'a str,
    source_type: SourceType,
) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    Parser::new(allocator, code, source_type)
        .with_options(options)
        .parse()
}

pub(crate) fn syntax_faults(code: &str, parsed: &ParserReturn<'_>) -> Option<Vec<CodeFault>> {
    if parsed.diagnostics.is_empty() && !parsed.panicked {
        return None;
    }
    let mut faults: Vec<CodeFault> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let message = format!("SyntaxError: {}", diagnostic.message);
            match diagnostic.labels.first() {
                Some(label) => CodeFault::at(code, label.offset() as usize, message),
                None => CodeFault::of_the_whole(message),
            }
        })
        .collect();
    if faults.is_empty() {
        faults.push(CodeFault::of_the_whole(
            "SyntaxError: the code cannot be parsed".to_owned(),
        ));
    }
    Some(faults)
}

pub(crate) fn place(code: &str, offset: usize) -> (Option<u32>, Option<u32>) {
    let mut end = offset.min(code.len());
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let before = &code[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (u32::try_from(line).ok(), u32::try_from(column).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_common_js_and_a_module_is_a_module() {
        let format = |code| read(code, Language::JavaScript).map(|reading| reading.format);
        assert_eq!(
            format("module.exports = { run() {} }"),
            Ok(ModuleFormat::CommonJs)
        );
        assert_eq!(
            format("import fs from 'fs'; export default {}"),
            Ok(ModuleFormat::EsModule)
        );
        assert_eq!(
            format("if (1) { return } with (Math) {}"),
            Ok(ModuleFormat::CommonJs)
        );
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        let faults = read(
            "module.exports = {\n  name: 'é' oops\n}",
            Language::JavaScript,
        )
        .unwrap_err();
        assert_eq!((faults[0].line, faults[0].column), (Some(2), Some(13)));
        assert!(faults[0].message.starts_with("SyntaxError: "));
    }

    #[test]
    fn packages_are_found_wherever_they_are_named_and_each_once() {
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
        let packages = read(code, Language::JavaScript).unwrap().packages;
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
        let relative = read(code, Language::JavaScript).unwrap().relative;
        assert_eq!(relative.unwrap().specifier, "./own.mjs");
    }

    #[test]
    fn a_version_nobody_can_have_is_a_fault_with_its_place() {
        let faults = read(
            "const a = require('axios@not a version')",
            Language::JavaScript,
        )
        .unwrap_err();
        assert_eq!((faults[0].line, faults[0].column), (Some(1), Some(19)));
        assert!(faults[0].message.contains("axios@not a version"));
    }

    #[test]
    fn code_that_would_exhaust_a_stack_is_read_or_refused() {
        let deep = |text: &str| text.repeat(100_000);
        for code in [deep("("), deep("["), deep("{a:"), deep("x=>{")] {
            let faults = read(&code, language(&code)).unwrap_err();
            assert!(faults[0].message.contains("nested too deeply"));
        }
        for code in [deep("!"), deep("1+"), deep("a?b:"), deep("if(a)")] {
            let code = format!("{code} 1");
            let _ = read(&code, language(&code));
        }
    }

    #[test]
    fn typescript_is_told_from_javascript_even_when_it_is_broken() {
        assert_eq!(language("export default { a: 1 }"), Language::JavaScript);
        assert_eq!(language("module.exports = {"), Language::JavaScript);
        assert_eq!(
            language("interface A { b: string }\nexport default { a: 1 as number }"),
            Language::TypeScript
        );
        assert_eq!(
            language("interface A { b: string }\nexport default { a: 1 as number"),
            Language::TypeScript
        );
    }
}
