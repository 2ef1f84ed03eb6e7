//! Reading code without running it: is it a script or a module, does it parse at all, and which packages does it name?

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{LabeledSpan, SourceType};
use sluice_model::ModuleFormat;

use crate::{
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

/// What the text of a component tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub format: ModuleFormat,
    /// Each package once, in the order of their first mention.
    pub packages: Vec<NamedPackage>,
}

/// A package, and where the code names it first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPackage {
    pub request: PackageRequest,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// Reads JavaScript: its syntax decides whether it is CommonJS or an ES module. Every fault is reported.
pub fn read(code: &str) -> Result<Reading, Vec<CodeFault>> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, code, SourceType::unambiguous());
    if let Some(faults) = syntax_faults(code, &parsed) {
        return Err(faults);
    }
    let format = if parsed.module_record.has_module_syntax {
        ModuleFormat::EsModule
    } else {
        ModuleFormat::CommonJs
    };
    let mut packages: Vec<NamedPackage> = Vec::new();
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
            Specifier::NotAPackage => {}
        }
    }
    if faults.is_empty() {
        Ok(Reading { format, packages })
    } else {
        Err(faults)
    }
}

/// Which language `code` is written in. What parses as neither is taken for the one that gets further, so that its
/// faults are the author's and not those of the wrong grammar.
pub fn language(code: &str) -> Language {
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
    let Some(in_javascript) = first_fault(SourceType::unambiguous()) else {
        return Language::JavaScript;
    };
    match first_fault(SourceType::ts()) {
        Some(in_typescript) if in_typescript <= in_javascript => Language::JavaScript,
        _ => Language::TypeScript,
    }
}

fn parse<'a>(allocator: &'a Allocator, code: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    Parser::new(allocator, code, source_type)
        .with_options(options)
        .parse()
}

fn syntax_faults(code: &str, parsed: &ParserReturn<'_>) -> Option<Vec<CodeFault>> {
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

fn place(code: &str, offset: usize) -> (Option<u32>, Option<u32>) {
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
        let format = |code| read(code).map(|reading| reading.format);
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
        let faults = read("module.exports = {\n  name: 'é' oops\n}").unwrap_err();
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
        let packages = read(code).unwrap().packages;
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
    }

    #[test]
    fn a_version_nobody_can_have_is_a_fault_with_its_place() {
        let faults = read("const a = require('axios@not a version')").unwrap_err();
        assert_eq!((faults[0].line, faults[0].column), (Some(1), Some(19)));
        assert!(faults[0].message.contains("axios@not a version"));
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
