//! The one place where user code is parsed.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{LabeledSpan, SourceType};
use sluice_model::CodeError;

use crate::{
    language::Language,
    nesting::{TOO_DEEP, with_stack_for},
    position::error_at,
};

/// The errors of code that does not parse, by the grammar of this language.
pub(crate) struct SyntaxErrors {
    pub(crate) language: Language,
    pub(crate) errors: Vec<CodeError>,
    /// The offset of the first error.
    offset: u32,
}

impl SyntaxErrors {
    fn too_deep(language: Language) -> SyntaxErrors {
        SyntaxErrors {
            language,
            errors: vec![CodeError::without_position(TOO_DEEP)],
            offset: 0,
        }
    }
}

/// Parses code and passes the syntax tree, which does not outlive the call, to `extract`.
///
/// Without a language, JavaScript is tried first and then TypeScript. If neither parses, the errors are those of the grammar
/// that gets further, because the errors of the wrong grammar would mislead the author.
pub(crate) fn parse<T: Send>(
    code: &str,
    language: Option<Language>,
    extract: impl Fn(&ParserReturn<'_>) -> T + Sync,
) -> Result<(Language, T), SyntaxErrors> {
    let attempt = |language: Language| attempt(code, language, language.source_type(), &extract);
    let parsed = with_stack_for(code, || match language {
        Some(language) => attempt(language),
        None => attempt(Language::JavaScript).or_else(|in_javascript| {
            attempt(Language::TypeScript).map_err(|in_typescript| {
                if in_typescript.offset <= in_javascript.offset {
                    in_javascript
                } else {
                    in_typescript
                }
            })
        }),
    });
    let language = language.unwrap_or(Language::JavaScript);
    parsed.unwrap_or_else(|| Err(SyntaxErrors::too_deep(language)))
}

/// Parses a file of a tree. It may be valid only as a module or only as CommonJS.
pub(crate) fn parse_file<T: Send>(
    code: &str,
    language: Language,
    extract: impl Fn(&ParserReturn<'_>) -> T + Sync,
) -> Result<T, SyntaxErrors> {
    let source_type = language.source_type();
    let attempt = |source_type| attempt(code, language, source_type, &extract);
    let parsed = with_stack_for(code, || {
        attempt(source_type).or_else(|errors| {
            attempt(source_type.with_module(true))
                .or_else(|_| attempt(source_type.with_commonjs(true)))
                .map_err(|_| errors)
        })
    });
    let parsed = parsed.unwrap_or_else(|| Err(SyntaxErrors::too_deep(language)));
    parsed.map(|(_, contents)| contents)
}

/// The language that code is written in; a guess if it does not parse.
pub fn detect_language(code: &str) -> Language {
    match parse(code, None, |_| ()) {
        Ok((language, ())) => language,
        Err(errors) => errors.language,
    }
}

fn attempt<T>(
    code: &str,
    language: Language,
    source_type: SourceType,
    extract: impl Fn(&ParserReturn<'_>) -> T,
) -> Result<(Language, T), SyntaxErrors> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code, source_type)
        .with_options(options)
        .parse();
    if parsed.diagnostics.is_empty() && !parsed.panicked {
        return Ok((language, extract(&parsed)));
    }
    let offsets = parsed.diagnostics.iter();
    let offsets = offsets.map(|error| error.labels.first().map_or(0, LabeledSpan::offset));
    Err(SyntaxErrors {
        language,
        errors: syntax_errors(code, &parsed),
        offset: offsets.min().unwrap_or(0),
    })
}

fn syntax_errors(code: &str, parsed: &ParserReturn<'_>) -> Vec<CodeError> {
    let diagnostics = parsed.diagnostics.iter();
    let mut errors: Vec<CodeError> = diagnostics
        .map(|diagnostic| {
            let message = format!("SyntaxError: {}", diagnostic.message);
            match diagnostic.labels.first() {
                Some(label) => error_at(code, label.offset() as usize, message),
                None => CodeError::without_position(message),
            }
        })
        .collect();
    if errors.is_empty() {
        errors.push(CodeError::without_position(
            "SyntaxError: the code cannot be parsed",
        ));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typescript_is_detected_even_when_it_is_broken() {
        for code in ["export default { a: 1 }", "module.exports = {"] {
            assert_eq!(detect_language(code), Language::JavaScript);
        }
        for code in [
            "interface A { b: string }\nexport default { a: 1 as number }",
            "interface A { b: string }\nexport default { a: 1 as number",
        ] {
            assert_eq!(detect_language(code), Language::TypeScript);
        }
    }

    #[test]
    fn code_that_could_overflow_the_stack_is_parsed_or_rejected() {
        let deep = |text: &str| text.repeat(100_000);
        for code in [deep("("), deep("["), deep("{a:"), deep("x=>{"), deep("!")] {
            let Err(SyntaxErrors { errors, .. }) = parse(&code, None, |_| ()) else {
                panic!("it parses");
            };
            assert!(errors[0].message.contains("nested too deeply"));
        }
        for code in [deep("1+"), deep("a?b:"), deep("if(a)")] {
            let _ = parse(&format!("{code} 1"), None, |_| ());
        }
    }
}
