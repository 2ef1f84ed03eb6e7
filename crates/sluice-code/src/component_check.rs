//! A check by the syntax tree whether a file of a tree is a component or another file: constants, a helper, a sample event.

use oxc_ast::ast::{Argument, Expression, ObjectExpression, ObjectPropertyKind, Program};

use crate::{
    default_export::{DefaultExport, default_export, variable},
    language::Language,
    parse::parse,
};

/// Properties that only components have. Sample events may have a `key`, a `version` and a `name`.
const COMPONENT_PROPERTIES: [&str; 5] = ["run", "props", "hooks", "methods", "dedupe"];

/// Whether a file is meant to be a component: its default export looks like one, or the text does not show it. Code that
/// does not parse may be one.
pub fn looks_like_component(code: &str, language: Option<Language>) -> bool {
    let checked = parse(code, language, |parsed| {
        let program = &parsed.program;
        default_export(program).is_some_and(|export| may_be_component(program, &export))
    });
    checked.map_or(true, |(_, may_be)| may_be)
}

fn may_be_component(program: &Program<'_>, value: &DefaultExport<'_, '_>) -> bool {
    match value {
        DefaultExport::Other => true,
        DefaultExport::Value(value) => value_may_be(program, value),
    }
}

fn value_may_be(program: &Program<'_>, value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::ObjectExpression(object) => object_may_be(object),
        // `defineSource({…})`
        Expression::CallExpression(call) => match call.arguments.first() {
            Some(Argument::ObjectExpression(object)) => object_may_be(object),
            _ => true,
        },
        Expression::Identifier(name) => match variable(program, name.name.as_str()) {
            Some(Expression::Identifier(_)) | None => true,
            Some(value) => value_may_be(program, value),
        },
        Expression::ArrayExpression(_)
        | Expression::StringLiteral(_)
        | Expression::TemplateLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::FunctionExpression(_)
        | Expression::ClassExpression(_) => false,
        _ => true,
    }
}

fn object_may_be(object: &ObjectExpression<'_>) -> bool {
    let mut has_spread = false;
    let mut names = Vec::new();
    for property in &object.properties {
        match property {
            ObjectPropertyKind::SpreadProperty(_) => has_spread = true,
            ObjectPropertyKind::ObjectProperty(property) => {
                names.extend(property.key.static_name());
            }
        }
    }
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let is_app = has("app") && has("propDefinitions");
    !is_app
        && (COMPONENT_PROPERTIES.iter().any(|name| has(name))
            || (has_spread && (has("key") || has("version") || has("name"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_recognized() {
        for code in [
            "export default { name: 'A', run() {} }",
            "module.exports = { props: {} }",
            "const a = { ...base, key: 'a-b' }; export default a;",
            "const a = { hooks: {} }; export { a as default };",
            "export { default } from './other.mjs';",
            "export default defineSource({ run() {} })",
            "export default make(settings)",
            "import a from './a.mjs'; export default a;",
            "export default { run() {",
        ] {
            assert!(
                looks_like_component(code, Some(Language::JavaScript)),
                "{code}"
            );
        }
        let typed = "const a = { methods: {} } as any; export default a satisfies object;";
        assert!(looks_like_component(typed, None));
    }

    #[test]
    fn other_files_are_no_components() {
        for code in [
            "export const LIMIT = 1;",
            "export default { id: 1, key: 'ABC-1', version: 2, name: 'x' }",
            "export default [1, 2]",
            "export default function parse() {}",
            "export default (x) => x",
            "module.exports = { parse, clean }",
            "const all = ['a']; export default all;",
            "export default { type: 'app', app: 'acme', propDefinitions: {}, methods: {} }",
            "",
        ] {
            assert!(
                !looks_like_component(code, Some(Language::JavaScript)),
                "{code}"
            );
        }
    }
}
