//! The variables of CommonJS, for CommonJS files that are bundled into an ES module.

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

const VARIABLES: [(&str, &str); 3] = [
    (
        "require",
        "import { createRequire as __createRequire } from \"node:module\"; \
         const require = __createRequire(import.meta.url);",
    ),
    ("__filename", "const __filename = import.meta.filename;"),
    ("__dirname", "const __dirname = import.meta.dirname;"),
];

/// One line that declares those variables that `code` uses and does not declare itself.
pub(crate) fn prelude(code: &str) -> Option<String> {
    if !VARIABLES.iter().any(|(name, _)| code.contains(name)) {
        return None;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs()).parse();
    let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
    let free = semantic.scoping().root_unresolved_references();
    let declarations: Vec<&str> = VARIABLES
        .iter()
        .filter(|(name, _)| free.contains_key(*name))
        .map(|(_, declaration)| *declaration)
        .collect();
    (!declarations.is_empty()).then(|| declarations.join(" "))
}

/// Puts `line` before the code, but after a hashbang, and shifts the source map accordingly.
pub(crate) fn prepend(line: &str, code: &mut String, map: Option<&mut String>) {
    let at = if code.starts_with("#!") {
        code.find('\n').map_or(code.len(), |end| end + 1)
    } else {
        0
    };
    code.insert_str(at, &format!("{line}\n"));
    let Some(map) = map else { return };
    // Nothing maps to a hashbang, so one empty line at the start is right in both cases.
    if let Ok(serde_json::Value::Object(mut object)) = serde_json::from_str(map)
        && let Some(serde_json::Value::String(mappings)) = object.get_mut("mappings")
    {
        mappings.insert(0, ';');
        *map = serde_json::Value::Object(object).to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_free_variables_are_declared() {
        assert_eq!(prelude("const required = 1; export { required }"), None);
        assert_eq!(prelude("const require = 1; console.log(require)"), None);
        assert_eq!(prelude("'require' in {}; ({ require: 1 }).require"), None);
        assert_eq!(
            prelude("function f() { return __dirname }").as_deref(),
            Some("const __dirname = import.meta.dirname;")
        );
        let line = prelude("require('x')").expect("require is free");
        assert!(line.contains("const require = "));
    }

    #[test]
    fn a_hashbang_stays_first() {
        let mut code = "#!/usr/bin/env node\nx".to_owned();
        prepend("y", &mut code, None);
        assert_eq!(code, "#!/usr/bin/env node\ny\nx");
    }
}
