//! Steps in their older forms: a bare function, or an exported arrow function. They are changed into modules that can be
//! loaded, on the same lines, so that errors keep their lines.
//!
//! A file that is nothing but a function exports it. An arrow function is wrapped, because it has no `this` of its own, and
//! a step exports by setting properties of `this`. `$arrowStep` marks a function that makes the step.

use std::sync::Arc;

use oxc_ast::ast::{
    AssignmentTarget, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression,
    IdentifierReference, Program, Statement,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use sluice_model::CodeError;

use crate::{
    insertions::Insertions,
    language::Language,
    module::{Contents, ParsedModule},
    parse::parse,
};

const EXPORT: &str = "module.exports = ";
const WRAP: [&str; 2] = ["$arrowStep(function(){return(", ")})"];

/// Parses the code of a step. The code of the result is the code that is kept and run. Code in no older form stays as it
/// is, and so does the result of this function.
pub fn parse_step(
    code: impl Into<Arc<str>>,
    language: Option<Language>,
) -> Result<ParsedModule, Vec<CodeError>> {
    let code = code.into();
    let parsed = parse(&code, language, |parsed| {
        (Contents::of(parsed), insertions(&parsed.program))
    });
    let (language, contents, insertions) = match parsed {
        Ok((language, (contents, insertions))) => {
            let contents = contents.with_offsets(|offset| insertions.shifted(offset));
            (language, contents, insertions)
        }
        Err(error) => match nameless_function(&code) {
            Some((contents, insertions)) => (
                language.unwrap_or(Language::JavaScript),
                contents,
                insertions,
            ),
            None => return Err(error.errors),
        },
    };
    let code = if insertions.is_empty() {
        code
    } else {
        insertions.apply(&code).into()
    };
    ParsedModule::new(code, language, contents)
}

fn insertions(program: &Program<'_>) -> Insertions {
    if let (true, [only]) = (program.directives.is_empty(), program.body.as_slice())
        && let Some(insertions) = of_bare_function(only)
    {
        return insertions;
    }
    let mut arrows = program.body.iter().map(|s| exported_arrow(s, program));
    let arrow = arrows.find_map(|arrow| arrow);
    arrow.map_or_else(Insertions::default, |arrow| Insertions::new(wrapped(arrow)))
}

/// `async function (event, steps) { … }`, which is not a statement.
fn nameless_function(code: &str) -> Option<(Contents, Insertions)> {
    let body = code.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let bracketed = format!("({body}\n)");
    let parsed = parse(&bracketed, Some(Language::JavaScript), |parsed| {
        let [Statement::ExpressionStatement(only)] = parsed.program.body.as_slice() else {
            return None;
        };
        match only.expression.get_inner_expression() {
            Expression::FunctionExpression(function) => {
                Some((Contents::of(parsed), function.span.start as usize))
            }
            _ => None,
        }
    });
    let (_, function) = parsed.ok()?;
    let (contents, start) = function?;
    // The code has no bracket in front.
    let unbracketed = |offset: usize| offset.saturating_sub(1);
    let insertions = Insertions::new([(unbracketed(start), EXPORT)]);
    let contents = contents.with_offsets(|offset| insertions.shifted(unbracketed(offset)));
    Some((contents, insertions))
}

/// For a file that is nothing but one function.
fn of_bare_function(statement: &Statement<'_>) -> Option<Insertions> {
    match statement {
        Statement::FunctionDeclaration(function) => {
            Some(Insertions::new([(function.span.start as usize, EXPORT)]))
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
            Some(Insertions::new(insertions))
        }
        _ => None,
    }
}

/// The arrow function that a statement exports as the default.
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

/// The arrow function in a variable that is only used to export it.
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

fn wrapped(span: Span) -> [(usize, &'static str); 2] {
    let [before, after] = WRAP;
    [(span.start as usize, before), (span.end as usize, after)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Broken code stays as it is.
    fn step_code(code: &str) -> String {
        parse_step(code, None).map_or_else(|_| code.to_owned(), |step| step.code().to_string())
    }

    fn arrow(code: &str) -> String {
        format!("{}{code}{}", WRAP[0], WRAP[1])
    }

    #[test]
    fn an_exported_arrow_function_is_wrapped_in_place() {
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
        let changed = step_code("export default () => 1");
        assert_eq!(step_code(&changed), changed);
    }

    #[test]
    fn imports_have_their_positions_in_the_changed_code() {
        for code in [
            "export default async () => {\n  require('axios') }",
            "async function () {\n  require('axios') }",
            "export default () => require('axios')",
            "async function () { require('axios') }",
        ] {
            let step = parse_step(code, None).unwrap();
            let package = &step.packages()[0];
            let line = step.code().lines().nth(package.line.unwrap() as usize - 1);
            let from_there = &line.unwrap()[package.column.unwrap() as usize - 1..];
            assert!(from_there.starts_with("'axios'"), "{code}: {package:?}");
        }
    }
}
