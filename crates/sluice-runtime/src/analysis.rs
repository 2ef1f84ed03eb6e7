//! Reading code without running it: is it a script or a module, and does it parse at all?

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use sluice_model::ModuleFormat;

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
}

/// Decides by its syntax whether `code` is CommonJS or an ES module; every syntax error is reported.
pub fn module_format(code: &str) -> Result<ModuleFormat, Vec<CodeFault>> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code, SourceType::unambiguous())
        .with_options(options)
        .parse();
    if parsed.diagnostics.is_empty() && !parsed.panicked {
        return Ok(if parsed.module_record.has_module_syntax {
            ModuleFormat::EsModule
        } else {
            ModuleFormat::CommonJs
        });
    }
    let mut faults: Vec<CodeFault> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let offset = diagnostic
                .labels
                .first()
                .map(|label| label.offset() as usize);
            let (line, column) = offset.map_or((None, None), |at| place(code, at));
            CodeFault {
                message: format!("SyntaxError: {}", diagnostic.message),
                line,
                column,
            }
        })
        .collect();
    if faults.is_empty() {
        faults.push(CodeFault::of_the_whole(
            "SyntaxError: the code cannot be parsed".to_owned(),
        ));
    }
    Err(faults)
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
        assert_eq!(
            module_format("module.exports = { run() {} }"),
            Ok(ModuleFormat::CommonJs)
        );
        assert_eq!(
            module_format("import fs from 'fs'; export default {}"),
            Ok(ModuleFormat::EsModule)
        );
        assert_eq!(
            module_format("if (1) { return } with (Math) {}"),
            Ok(ModuleFormat::CommonJs)
        );
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        let faults = module_format("module.exports = {\n  name: 'é' oops\n}").unwrap_err();
        assert_eq!((faults[0].line, faults[0].column), (Some(2), Some(13)));
        assert!(faults[0].message.starts_with("SyntaxError: "));
    }
}
