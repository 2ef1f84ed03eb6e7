//! A plain script as a component with a timer: on the same lines, so that errors keep theirs.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    BindingPattern, Declaration, ExportNamedDeclaration, ModuleExportName, Statement,
};
use oxc_span::{GetSpan, Span};
use serde_json::{Value, json};

use crate::{
    analysis::{CodeFault, Language, parse, syntax_faults},
    deep_stack::with_room_for,
};

/// The variable that holds what a script exports.
const EXPORTED: &str = "$script";

/// A component that runs `script` from its first line to its last on each tick, and then the function that it exports, if it
/// exports one: by default, as `run`, or as `module.exports`. `this` is the component, and `event` the tick.
pub fn scheduled_script(
    script: &str,
    language: Language,
    name: &str,
    schedule: &Value,
) -> Result<String, Vec<CodeFault>> {
    with_room_for(script, || wrapped(script, language, name, schedule)).unwrap_or_else(|| {
        Err(vec![CodeFault::of_the_whole(
            "SyntaxError: the code is nested too deeply".to_owned(),
        )])
    })
}

fn wrapped(
    script: &str,
    language: Language,
    name: &str,
    schedule: &Value,
) -> Result<String, Vec<CodeFault>> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, script, language.source_type());
    if let Some(faults) = syntax_faults(script, &parsed) {
        return Err(faults);
    }
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
    Ok(if parsed.module_record.has_module_syntax {
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
    })
}

/// What must stand outside of a function, and the rest.
struct Split<'a> {
    script: &'a str,
    imports: String,
    /// As long as the script, with blanks for what is elsewhere.
    body: Vec<u8>,
    /// The name of what is to be called.
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
        // A comment would swallow what follows it.
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

    /// Puts a text in the place of another that is at least as long, and leaves line ends where they are.
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
        let reading = crate::read(&code, Language::JavaScript);
        assert!(reading.is_ok(), "{reading:?}\n{code}");
        code
    }

    fn line_of(code: &str, text: &str) -> usize {
        code.lines().position(|line| line.contains(text)).unwrap()
    }

    #[test]
    fn imports_stand_in_front_and_everything_stays_on_its_line() {
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
    fn what_a_module_exports_is_called_with_the_tick() {
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
    fn mistakes_have_their_place() {
        let faults = scheduled_script("\nlet = ;", Language::JavaScript, "job", &json!({}));
        assert_eq!(faults.unwrap_err()[0].line, Some(2));
    }
}
