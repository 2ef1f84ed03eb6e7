//! Wraps a plain script into a component with a timer. Every statement stays on its line, so that errors keep theirs.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportNamedDeclaration, ModuleExportName, Statement,
};
use oxc_parser::ParserReturn;
use oxc_span::{GetSpan, Span};
use serde_json::{Value, json};
use sluice_model::CodeError;

use crate::{language::Language, parse::parse};

/// The variable that holds the default export of a script.
const EXPORTED: &str = "$script";

/// A component that runs `script` from its first line to its last on each tick, and then the function that it exports, if it
/// exports one: by default, as `run`, or as `module.exports`. `this` is the component, and `event` the tick.
pub fn scheduled_script(
    script: &str,
    language: Language,
    name: &str,
    schedule: &Value,
) -> Result<String, Vec<CodeError>> {
    let wrapped = parse(script, Some(language), |parsed| {
        wrap(script, parsed, name, schedule)
    });
    wrapped
        .map(|(_, component)| component)
        .map_err(|error| error.errors)
}

fn wrap(script: &str, parsed: &ParserReturn<'_>, name: &str, schedule: &Value) -> String {
    let mut split = Split::new(script);
    if let Some(hashbang) = &parsed.program.hashbang {
        split.blank(hashbang.span);
    }
    for statement in &parsed.program.body {
        split.take(statement);
    }
    let timer = json!({ "type": "$.interface.timer", "default": schedule });
    let head = format!(
        "{{ name: {}, version: \"0.0.1\", props: {{ timer: {timer} }}, async run(event) {{ ",
        Value::from(name)
    );
    let body = String::from_utf8(split.body).expect("only whole statements are replaced");
    if parsed.module_record.has_module_syntax {
        let imports = split.imports;
        let call = split.exported.map_or_else(String::new, |exported| {
            format!("if (typeof {exported} === \"function\") await {exported}.call(this, event);")
        });
        format!("{imports}export default {head}{body}\n{call} }} }};\n")
    } else {
        format!(
            "module.exports = {head}const module = {{ exports: {{}} }}; let exports = module.exports; {body}\n\
             if (typeof module.exports === \"function\") await module.exports.call(this, event); }} }};\n"
        )
    }
}

/// A script split into imports, which must be outside of a function, and the rest.
struct Split<'a> {
    script: &'a str,
    imports: String,
    /// As long as the script, with blanks in place of moved text.
    body: Vec<u8>,
    /// The name of the function to call.
    exported: Option<String>,
}

impl<'a> Split<'a> {
    fn new(script: &'a str) -> Split<'a> {
        Split {
            script,
            imports: String::new(),
            body: script.as_bytes().to_vec(),
            exported: None,
        }
    }

    fn take(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportFromDeclaration(_) => self.hoist(statement.span()),
            Statement::ExportDeclaration(export) => {
                self.blank(Span::new(
                    export.span.start,
                    export.declaration.span().start,
                ));
                if declares_run(&export.declaration) {
                    self.exported.get_or_insert("run".to_owned());
                }
            }
            Statement::ExportNamedDeclaration(export) => self.take_named(export),
            Statement::ExportDefaultDeclaration(export) => {
                let keywords = Span::new(export.span.start, export.declaration.span().start);
                self.replace(keywords, &format!("const {EXPORTED}="));
                self.exported = Some(EXPORTED.to_owned());
            }
            _ => {}
        }
    }

    fn take_named(&mut self, export: &ExportNamedDeclaration<'_>) {
        self.blank(export.span);
        for specifier in &export.specifiers {
            let is_local = matches!(specifier.local, ModuleExportName::IdentifierReference(_));
            match specifier.exported.name().as_str() {
                "default" if is_local => self.exported = Some(specifier.local.name().to_string()),
                "run" if is_local => {
                    self.exported
                        .get_or_insert(specifier.local.name().to_string());
                }
                _ => {}
            }
        }
    }

    /// Moves a statement to the front.
    fn hoist(&mut self, span: Span) {
        let text = span.source_text(self.script);
        // A comment would swallow the text after it.
        let text = if text.contains("//") {
            format!("{text}\n")
        } else {
            text.replace('\n', " ")
        };
        self.imports.push_str(text.trim_end_matches(';'));
        self.imports.push_str("; ");
        self.blank(span);
    }

    fn blank(&mut self, span: Span) {
        self.replace(span, "");
    }

    /// Replaces a text by one that is not longer. Line ends stay where they are.
    fn replace(&mut self, span: Span, text: &str) {
        let mut text = text.bytes();
        for byte in &mut self.body[span.start as usize..span.end as usize] {
            if *byte != b'\n' {
                *byte = text.next().unwrap_or(b' ');
            }
        }
    }
}

fn declares_run(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|id| id.name == "run")
        }
        Declaration::VariableDeclaration(variables) => variables.declarations.iter().any(|declared| {
            matches!(&declared.id, BindingPattern::BindingIdentifier(id) if id.name == "run")
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(script: &str) -> String {
        let schedule = json!({"intervalSeconds": 60});
        let code = scheduled_script(script, Language::JavaScript, "job", &schedule).unwrap();
        let parsed = crate::ParsedModule::parse(code.as_str(), Some(Language::JavaScript));
        assert!(parsed.is_ok(), "{parsed:?}\n{code}");
        code
    }

    fn line_of(code: &str, text: &str) -> usize {
        code.lines().position(|line| line.contains(text)).unwrap()
    }

    #[test]
    fn imports_move_to_the_front_and_statements_keep_their_lines() {
        let code = made(
            "#!/usr/bin/env node\nimport a from \"a\";\nimport {\n  b,\n} from \"b\";\nawait a(b);\n",
        );
        assert!(
            code.starts_with(
                "import a from \"a\"; import {   b, } from \"b\"; export default { name: \"job\""
            ),
            "{code}"
        );
        assert_eq!(line_of(&code, "await a(b);"), 5);
        assert!(code.contains(
            r#"props: { timer: {"type":"$.interface.timer","default":{"intervalSeconds":60}} }"#
        ));
    }

    #[test]
    fn the_exported_function_is_called_with_the_tick() {
        for (script, called) in [
            ("export default async function (event) {}", "$script"),
            ("export default(event) => event;", "$script"),
            ("export function run(event) {}", "run"),
            ("export const other = 1, run = () => {};", "run"),
            ("const f = () => {};\nexport { f as default };", "f"),
            ("const f = () => {};\nexport { f as run };", "f"),
        ] {
            let code = made(script);
            let call =
                format!("if (typeof {called} === \"function\") await {called}.call(this, event);");
            assert!(code.contains(&call), "{code}");
        }
        assert!(!made("export const other = 1;").contains(".call("));
    }

    #[test]
    fn a_script_without_imports_is_commonjs() {
        let code = made("const fs = require(\"fs\");\n// the end");
        assert!(code.starts_with("module.exports = {"), "{code}");
        assert!(
            code.contains("await module.exports.call(this, event);"),
            "{code}"
        );
    }

    #[test]
    fn errors_have_their_position() {
        let errors = scheduled_script("\nlet = ;", Language::JavaScript, "job", &json!({}));
        assert_eq!(errors.unwrap_err()[0].line, Some(2));
    }
}
