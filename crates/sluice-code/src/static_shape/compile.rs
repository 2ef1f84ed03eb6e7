//! Reads a file whose load has no side effects from its syntax tree.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, ExportFromDeclaration,
    ExportNamedDeclaration, Function, FunctionType, ImportDeclaration, ImportDeclarationSpecifier,
    ImportOrExportKind, ModuleExportName, Program as SyntaxTree, Statement as SyntaxStatement,
    VariableDeclaration, VariableDeclarationKind,
};
use sluice_model::ModuleFormat;

use super::{
    early_errors::may_have_early_errors,
    expression::{class, expression, module_exports},
    names::GLOBALS,
    program::{Binding, DEFAULT, Export, Expression, Import, ImportedName, Program, Statement},
};
use crate::imports::{Import as FoundImport, ImportKind};

impl Program {
    /// `None` if the file does anything else than to declare, import and export values.
    pub(crate) fn of(
        tree: &SyntaxTree<'_>,
        format: ModuleFormat,
        imports: &[FoundImport],
    ) -> Option<Program> {
        let mut compiler = Compiler {
            program: Program {
                imports: Vec::new(),
                functions: Vec::new(),
                statements: Vec::new(),
                exports: Vec::new(),
            },
            format,
            found: imports,
        };
        for statement in &tree.body {
            compiler.statement(statement)?;
        }
        (!may_have_early_errors(tree)).then_some(compiler.program)
    }
}

struct Compiler<'c> {
    program: Program,
    format: ModuleFormat,
    /// The imports of the file.
    found: &'c [FoundImport],
}

impl Compiler<'_> {
    fn statement(&mut self, statement: &SyntaxStatement<'_>) -> Option<()> {
        match statement {
            SyntaxStatement::EmptyStatement(_) => Some(()),
            SyntaxStatement::ImportDeclaration(import) => self.import(import),
            SyntaxStatement::ExportDefaultDeclaration(export) => self.default(&export.declaration),
            SyntaxStatement::ExportNamedDeclaration(export) => {
                self.export_names(export);
                Some(())
            }
            SyntaxStatement::ExportFromDeclaration(export) => {
                self.export_from(export);
                Some(())
            }
            SyntaxStatement::ExportAllDeclaration(export) => {
                if export.export_kind == ImportOrExportKind::Value {
                    let specifier = export.source.value.to_string();
                    self.request(&specifier, export.with_clause.is_some());
                    self.program.exports.push(match &export.exported {
                        Some(name) => Export::From {
                            exported: export_name(name),
                            specifier,
                            imported: None,
                        },
                        None => Export::AllFrom(specifier),
                    });
                }
                Some(())
            }
            SyntaxStatement::ExportDeclaration(export) => {
                for name in self.declaration(&export.declaration)? {
                    self.export(&name, &name);
                }
                Some(())
            }
            SyntaxStatement::ExpressionStatement(statement) => {
                let value = module_exports(&statement.expression)?;
                (self.format == ModuleFormat::CommonJs).then_some(())?;
                let value = expression(value, self.format)?;
                self.program
                    .statements
                    .push(Statement::ModuleExports(value));
                Some(())
            }
            statement => {
                self.declaration(statement.as_declaration()?)?;
                Some(())
            }
        }
    }

    /// Returns the declared names.
    fn declaration(&mut self, declaration: &Declaration<'_>) -> Option<Vec<String>> {
        match declaration {
            Declaration::VariableDeclaration(variables) => self.variables(variables),
            Declaration::FunctionDeclaration(function) => {
                let name = own_name(function.id.as_ref()?.name.as_str())?;
                let is_real = self.function(function, name.clone());
                Some(if is_real { vec![name] } else { Vec::new() })
            }
            Declaration::ClassDeclaration(declared) => {
                let name = own_name(declared.id.as_ref()?.name.as_str())?;
                let value = class(declared, self.format)?;
                self.declare(Binding::Name(name.clone()), value);
                Some(vec![name])
            }
            Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => {
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// Whether the function exists when the code runs.
    fn function(&mut self, function: &Function<'_>, name: String) -> bool {
        let is_real = function.r#type == FunctionType::FunctionDeclaration
            && !function.declare
            && function.body.is_some();
        if is_real {
            self.program.functions.push(name);
        }
        is_real
    }

    fn variables(&mut self, variables: &VariableDeclaration<'_>) -> Option<Vec<String>> {
        let is_plain = matches!(
            variables.kind,
            VariableDeclarationKind::Var
                | VariableDeclarationKind::Let
                | VariableDeclarationKind::Const
        );
        if variables.declare || !is_plain {
            return None;
        }
        let mut names = Vec::new();
        for declarator in &variables.declarations {
            let binding = binding(&declarator.id)?;
            let value = match &declarator.init {
                Some(value) => expression(value, self.format)?,
                // It may be a function of the same name.
                None if variables.kind == VariableDeclarationKind::Var => return None,
                None => Expression::Undefined,
            };
            match &binding {
                Binding::Name(name) => names.push(name.clone()),
                Binding::Fields(fields) => {
                    names.extend(fields.iter().map(|(_, name)| name.clone()));
                }
            }
            self.declare(binding, value);
        }
        Some(names)
    }

    fn declare(&mut self, binding: Binding, value: Expression) {
        let statements = &mut self.program.statements;
        statements.push(Statement::Declare(binding, value));
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) -> Option<()> {
        if import.import_kind == ImportOrExportKind::Type {
            return Some(());
        }
        if import.phase.is_some() {
            return None;
        }
        let mut names = Vec::new();
        for specifier in import.specifiers.iter().flatten() {
            let imported = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one)
                    if one.import_kind == ImportOrExportKind::Type =>
                {
                    continue;
                }
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    Some(export_name(&one.imported))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => Some("default".to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
            };
            names.push(ImportedName {
                imported,
                local: own_name(specifier.local().name.as_str())?,
            });
        }
        let offset = import.source.span.start as usize;
        let found = self.found.iter().find(|found| found.offset == offset);
        let may_be_types = found.is_some_and(|found| {
            matches!(
                found.kind,
                ImportKind::Module {
                    may_be_types: true,
                    ..
                }
            )
        });
        self.program.imports.push(Import {
            specifier: import.source.value.to_string(),
            names,
            may_be_types,
            has_attributes: import.with_clause.is_some(),
        });
        Some(())
    }

    /// An import for its effects and errors alone.
    fn request(&mut self, specifier: &str, has_attributes: bool) {
        self.program.imports.push(Import {
            specifier: specifier.to_owned(),
            names: Vec::new(),
            may_be_types: false,
            has_attributes,
        });
    }

    fn default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) -> Option<()> {
        let local = match declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return Some(()),
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let id = function.id.as_ref();
                let name = id.map_or(Some(DEFAULT.to_owned()), |id| own_name(id.name.as_str()))?;
                if !self.function(function, name.clone()) {
                    return Some(());
                }
                name
            }
            ExportDefaultDeclarationKind::ClassDeclaration(declared) => {
                let id = declared.id.as_ref();
                let name = id.map_or(Some(DEFAULT.to_owned()), |id| own_name(id.name.as_str()))?;
                let value = class(declared, self.format)?;
                self.declare(Binding::Name(name.clone()), value);
                name
            }
            declaration => {
                let value = expression(declaration.as_expression()?, self.format)?;
                self.declare(Binding::Name(DEFAULT.to_owned()), value);
                DEFAULT.to_owned()
            }
        };
        self.export("default", &local);
        Some(())
    }

    fn export_names(&mut self, export: &ExportNamedDeclaration<'_>) {
        if export.export_kind == ImportOrExportKind::Type {
            return;
        }
        for specifier in &export.specifiers {
            // TypeScript removes names of types, which are not told apart here: they are no variables, so reading them fails.
            if specifier.export_kind == ImportOrExportKind::Value {
                let local = specifier.local.name();
                self.export(&export_name(&specifier.exported), local.as_str());
            }
        }
    }

    fn export_from(&mut self, export: &ExportFromDeclaration<'_>) {
        if export.export_kind == ImportOrExportKind::Type {
            return;
        }
        let specifier = export.source.value.to_string();
        self.request(&specifier, export.with_clause.is_some());
        for name in &export.specifiers {
            if name.export_kind == ImportOrExportKind::Value {
                self.program.exports.push(Export::From {
                    exported: export_name(&name.exported),
                    specifier: specifier.clone(),
                    imported: Some(export_name(&name.local)),
                });
            }
        }
    }

    fn export(&mut self, exported: &str, local: &str) {
        self.program.exports.push(Export::Local {
            exported: exported.to_owned(),
            local: local.to_owned(),
        });
    }
}

fn export_name(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

/// A name that hides no global one.
fn own_name(name: &str) -> Option<String> {
    (!GLOBALS.contains(&name)).then(|| name.to_owned())
}

fn binding(pattern: &BindingPattern<'_>) -> Option<Binding> {
    match pattern {
        BindingPattern::BindingIdentifier(name) => {
            Some(Binding::Name(own_name(name.name.as_str())?))
        }
        BindingPattern::ObjectPattern(pattern) if pattern.rest.is_none() => {
            let fields = pattern.properties.iter().map(|property| {
                let BindingPattern::BindingIdentifier(local) = &property.value else {
                    return None;
                };
                if property.computed {
                    return None;
                }
                let field = property.key.static_name()?.into_owned();
                Some((field, own_name(local.name.as_str())?))
            });
            Some(Binding::Fields(fields.collect::<Option<_>>()?))
        }
        _ => None,
    }
}
