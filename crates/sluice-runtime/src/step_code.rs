//! The older forms of a step's code, brought into one that can be loaded: on the same lines, so that errors keep theirs.
//!
//! A file that is nothing but a function exports it. An arrow function is wrapped, because its `this` is that of what
//! surrounds it, and a step exports by setting properties of `this`: `$arrowStep` marks a function that makes the step.

use std::borrow::Cow;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AssignmentTarget, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression,
    IdentifierReference, Program, Statement,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use crate::{
    analysis::{Language, parse},
    deep_stack::with_room_for,
};

const EXPORT: &str = "module.exports = ";
const WRAP: [&str; 2] = ["$arrowStep(function(){return(", ")})"];

/// The code of a step as it is kept and run. Whatever is no function, or no code at all, stays as it is; so does what
/// this function has made.
pub fn step_code(code: &str) -> Cow<'_, str> {
    let insertions = with_room_for(code, || {
        [Language::JavaScript, Language::TypeScript]
            .into_iter()
            .find_map(|language| of_module(code, language))
            .or_else(|| of_nameless_function(code))
    });
    let mut insertions = insertions.flatten().unwrap_or_default();
    if insertions.is_empty() {
        return Cow::Borrowed(code);
    }
    // From the end, so that earlier places stay where they are.
    insertions.reverse();
    let mut changed = code.to_owned();
    for (at, text) in insertions {
        changed.insert_str(at, text);
    }
    Cow::Owned(changed)
}

/// Texts and where they go, in the order of their places.
type Insertions = Vec<(usize, &'static str)>;

/// None when it does not parse.
fn of_module(code: &str, language: Language) -> Option<Insertions> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, code, language.source_type());
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return None;
    }
    let program = &parsed.program;
    if let (true, [only]) = (program.directives.is_empty(), program.body.as_slice())
        && let Some(insertions) = of_bare_function(only)
    {
        return Some(insertions);
    }
    let arrow = program.body.iter().find_map(|s| exported_arrow(s, program));
    Some(arrow.map(wrapped).unwrap_or_default())
}

/// A whole file that is one function.
fn of_bare_function(statement: &Statement<'_>) -> Option<Insertions> {
    match statement {
        Statement::FunctionDeclaration(function) => {
            Some(vec![(function.span.start as usize, EXPORT)])
        }
        Statement::ExpressionStatement(statement) => {
            let mut insertions = vec![(statement.span.start as usize, EXPORT)];
            match statement.expression.get_inner_expression() {
                Expression::ArrowFunctionExpression(_) => {
                    insertions.extend(wrapped(statement.expression.span()));
                }
                Expression::FunctionExpression(_) => {}
                _ => return None,
            }
            Some(insertions)
        }
        _ => None,
    }
}

/// `async function (event, steps) { … }`, which is no statement.
fn of_nameless_function(code: &str) -> Option<Insertions> {
    let body = code.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let bracketed = format!("({body}\n)");
    let allocator = Allocator::default();
    let parsed = parse(&allocator, &bracketed, Language::JavaScript.source_type());
    let sound = !parsed.panicked && parsed.diagnostics.is_empty();
    match parsed.program.body.as_slice() {
        [Statement::ExpressionStatement(only)] if sound => {
            match only.expression.get_inner_expression() {
                Expression::FunctionExpression(function) => {
                    Some(vec![(function.span.start as usize - 1, EXPORT)])
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Where the arrow function is that a statement exports as the module's own.
fn exported_arrow(statement: &Statement<'_>, program: &Program<'_>) -> Option<Span> {
    let exported = match statement {
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_)
            | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return None,
            kind => kind.as_expression()?,
        },
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::AssignmentExpression(assignment) if is_module_exports(&assignment.left) => {
                &assignment.right
            }
            _ => return None,
        },
        _ => return None,
    };
    match exported.get_inner_expression() {
        Expression::ArrowFunctionExpression(_) => Some(exported.span()),
        Expression::Identifier(name) => declared_arrow(&name.name, program),
        _ => None,
    }
}

fn is_module_exports(target: &AssignmentTarget<'_>) -> bool {
    let AssignmentTarget::StaticMemberExpression(member) = target else {
        return false;
    };
    let of_module = matches!(&member.object, Expression::Identifier(name) if name.name == "module");
    of_module && member.property.name == "exports"
}

/// The arrow function that is the value of a variable which is used once: to be exported.
fn declared_arrow(name: &str, program: &Program<'_>) -> Option<Span> {
    let mut uses = Uses { name, count: 0 };
    uses.visit_program(program);
    if uses.count != 1 {
        return None;
    }
    program.body.iter().find_map(|statement| {
        let Declaration::VariableDeclaration(variables) = statement.as_declaration()? else {
            return None;
        };
        variables.declarations.iter().find_map(|variable| {
            let value = variable.init.as_ref()?;
            let is_it =
                matches!(&variable.id, BindingPattern::BindingIdentifier(id) if id.name == name);
            let is_arrow = matches!(
                value.get_inner_expression(),
                Expression::ArrowFunctionExpression(_)
            );
            (is_it && is_arrow).then(|| value.span())
        })
    })
}

struct Uses<'n> {
    name: &'n str,
    count: usize,
}

impl<'a> Visit<'a> for Uses<'_> {
    fn visit_identifier_reference(&mut self, reference: &IdentifierReference<'a>) {
        self.count += usize::from(reference.name == self.name);
    }
}

fn wrapped(span: Span) -> Insertions {
    let [before, after] = WRAP;
    vec![(span.start as usize, before), (span.end as usize, after)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow(code: &str) -> String {
        format!("{}{code}{}", WRAP[0], WRAP[1])
    }

    #[test]
    fn an_exported_arrow_function_is_wrapped_where_it_stands() {
        let step = "async (event, steps) => {\n  this.x = 1\n}";
        for before in [
            "export default ",
            "module.exports = ",
            "// é\nexport default ",
        ] {
            assert_eq!(
                step_code(&format!("{before}{step}; // end\n")),
                format!("{before}{}; // end\n", arrow(step))
            );
        }
        assert_eq!(
            step_code(&format!("export default ({step})")),
            format!("export default {}", arrow(&format!("({step})")))
        );
        assert_eq!(
            step_code(&format!("const step = {step}\nexport default step")),
            format!("const step = {}\nexport default step", arrow(step))
        );
    }

    #[test]
    fn a_file_that_is_one_function_exports_it() {
        assert_eq!(
            step_code("// why\nasync (event) => event\n"),
            format!(
                "// why\nmodule.exports = {}\n",
                arrow("async (event) => event")
            )
        );
        for function in [
            "async function (event) { return 1 }",
            "function named(event) {}",
            "async function step(event, steps) {}\n",
            "(function () {});",
            "async function (event) {\n};\n",
        ] {
            assert_eq!(step_code(function), format!("module.exports = {function}"));
        }
    }

    #[test]
    fn types_do_not_hide_a_function() {
        let step = "async (event: any): Promise<number> => 1";
        assert_eq!(
            step_code(&format!("export default {step};")),
            format!("export default {};", arrow(step))
        );
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for code in [
            "export default { run() {} }",
            "export default defineComponent({ run: async () => {} })",
            "export default async function (event) {}",
            "module.exports = async function () {}",
            "module.exports = { run: () => 1 }",
            "exports.x = () => 1",
            "const step = () => step(); export default step;",
            "const a = 1; () => a",
            "this is no code",
            "",
            "(((",
        ] {
            assert_eq!(step_code(code), code);
        }
        let made = step_code("export default () => 1").into_owned();
        assert_eq!(step_code(&made), made);
    }
}
