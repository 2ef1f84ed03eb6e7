//! The default export of a module, or `module.exports`, in the syntax tree.

use oxc_ast::ast::{
    AssignmentTarget, ExportDefaultDeclarationKind, Expression, ModuleExportName, Program,
    Statement, VariableDeclarator,
};

pub(crate) enum DefaultExport<'e, 'a> {
    Value(&'e Expression<'a>),
    /// A function, or an export of another file.
    Other,
}

pub(crate) fn default_export<'e, 'a>(program: &'e Program<'a>) -> Option<DefaultExport<'e, 'a>> {
    program.body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_)
            | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => None,
            value => value.as_expression().map(DefaultExport::Value),
        },
        Statement::TSExportAssignment(export) => Some(DefaultExport::Value(&export.expression)),
        Statement::ExportNamedDeclaration(export) => export
            .specifiers
            .iter()
            .find(|specifier| is_default(&specifier.exported))
            .map(|specifier| {
                let name = specifier.local.name();
                variable(program, name.as_str()).map_or(DefaultExport::Other, DefaultExport::Value)
            }),
        Statement::ExportFromDeclaration(export) => export
            .specifiers
            .iter()
            .any(|specifier| is_default(&specifier.exported))
            .then_some(DefaultExport::Other),
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::AssignmentExpression(assignment) if is_module_exports(&assignment.left) => {
                Some(DefaultExport::Value(&assignment.right))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The initial value of a variable of the file.
pub(crate) fn variable<'e, 'a>(program: &'e Program<'a>, name: &str) -> Option<&'e Expression<'a>> {
    let declarators = program.body.iter().flat_map(|statement| match statement {
        Statement::VariableDeclaration(declaration) => declaration.declarations.as_slice(),
        _ => &[],
    });
    let mut named = declarators.filter(|declarator: &&VariableDeclarator<'_>| {
        let identifier = declarator.id.get_binding_identifier();
        identifier.is_some_and(|identifier| identifier.name == name)
    });
    named.next()?.init.as_ref()
}

fn is_default(name: &ModuleExportName<'_>) -> bool {
    name.name() == "default"
}

fn is_module_exports(target: &AssignmentTarget<'_>) -> bool {
    let AssignmentTarget::StaticMemberExpression(member) = target else {
        return false;
    };
    member.property.name == "exports"
        && matches!(&member.object, Expression::Identifier(object) if object.name == "module")
}
