//! Finds the reads of credentials in a file: `this.$auth.api_key` in an app, `this.acme.$auth.token` in a component, by
//! destructuring, under other names, and through methods that return `$auth`.

use std::{collections::HashSet, mem};

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, AssignmentTargetProperty,
    BinaryExpression, BindingPattern, CallExpression, ComputedMemberExpression,
    ConditionalExpression, Expression, FormalParameter, Function, IdentifierReference, IfStatement,
    ImportDeclaration, LogicalExpression, LogicalOperator, ObjectExpression, ObjectPattern,
    ObjectProperty, Program, ReturnStatement, SpreadElement, StaticMemberExpression,
    SwitchStatement, UnaryExpression, UnaryOperator, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::ScopeFlags;

use super::{
    app_definition::{app_slug, spread_name},
    field_use::{FieldUses, Use},
    file_auth::{AppReads, FileAuth},
    scope::{Local, Owner, Scopes},
};

const AUTH: &str = "$auth";

impl FileAuth {
    pub(crate) fn of(program: &Program<'_>) -> FileAuth {
        let mut getters = Getters::default();
        getters.visit_program(program);
        let mut reader = Reader {
            getters: getters.names,
            ..Reader::default()
        };
        reader.visit_program(program);
        reader.file
    }
}

/// The names of methods that return `$auth`.
#[derive(Default)]
struct Getters {
    names: HashSet<String>,
    /// The method that is being visited.
    method: Option<String>,
}

impl<'a> Visit<'a> for Getters {
    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        let outside = self.method.clone();
        self.method = property.key.static_name().map(|name| name.to_string());
        if let Expression::ArrowFunctionExpression(arrow) = &property.value
            && let Some(value) = arrow.get_expression()
        {
            self.returned(value);
        }
        walk::walk_object_property(self, property);
        self.method = outside;
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        if let Some(value) = &statement.argument {
            self.returned(value);
        }
        walk::walk_return_statement(self, statement);
    }
}

impl Getters {
    fn returned(&mut self, value: &Expression<'_>) {
        if let Expression::StaticMemberExpression(member) = value.get_inner_expression()
            && member.property.name == AUTH
        {
            self.names.extend(self.method.clone());
        }
    }
}

#[derive(Default)]
struct Reader {
    file: FileAuth,
    /// The app whose definition is being visited.
    app: Option<usize>,
    scopes: Scopes,
    /// Methods that return `$auth`.
    getters: HashSet<String>,
    /// Whether the expression decides over something, or may be missing.
    is_tested: bool,
    /// The number of branches around.
    branches: usize,
    /// The number of reads so far.
    reads: usize,
}

impl Reader {
    fn place(&self) -> Use {
        if self.is_tested {
            Use::Tested
        } else if self.branches > 0 {
            Use::Conditional
        } else {
            Use::Plain
        }
    }

    fn fields(&mut self, owner: &Owner) -> &mut FieldUses {
        match owner {
            Owner::App(number) => &mut self.file.apps[*number].fields,
            Owner::Name(name) => self.file.by_name.entry(name.clone()).or_default(),
            Owner::This => &mut self.file.loose,
        }
    }

    fn read(&mut self, owner: &Owner, field: &str, place: Use) {
        self.reads += 1;
        self.fields(owner).add(field, place);
    }

    /// Visits an expression whose value decides over something.
    fn test(&mut self, expression: &Expression<'_>) {
        let outside = mem::replace(&mut self.is_tested, true);
        self.visit_expression(expression);
        self.is_tested = outside;
    }

    fn branch(&mut self, visit: impl FnOnce(&mut Self)) {
        self.branches += 1;
        visit(self);
        self.branches -= 1;
    }

    fn function(&mut self, visit: impl FnOnce(&mut Self)) {
        let outside = mem::take(&mut self.is_tested);
        self.scopes.enter();
        visit(self);
        self.scopes.leave();
        self.is_tested = outside;
    }

    /// The owner of the credentials that an expression has as its value: `x.$auth`, `x?.$auth`, `x.$auth ?? {}`, another name
    /// for one of them, or `x.method()` that returns them.
    fn auth(&self, expression: &Expression<'_>) -> Option<Owner> {
        match expression.get_inner_expression() {
            Expression::StaticMemberExpression(member) if member.property.name == AUTH => {
                Some(self.owner(&member.object))
            }
            Expression::Identifier(name) => match self.scopes.get(&name.name)? {
                Local::Auth(owner) => Some(owner.clone()),
                Local::Field(..) => None,
            },
            Expression::LogicalExpression(either) => self.auth(&either.left),
            Expression::AwaitExpression(awaited) => self.auth(&awaited.argument),
            Expression::ChainExpression(chain) => {
                let member = chain.expression.as_member_expression()?;
                let is_auth = member.static_property_name() == Some(AUTH);
                is_auth.then(|| self.owner(member.object()))
            }
            Expression::CallExpression(call) => {
                let method = call.callee.as_member_expression()?;
                let name = method.static_property_name()?;
                let is_getter = self.getters.contains(name);
                is_getter.then(|| self.owner(method.object()))
            }
            _ => None,
        }
    }

    /// The owner of the credentials of `x` in `x.$auth`.
    fn owner(&self, expression: &Expression<'_>) -> Owner {
        if let Some(app) = self.app {
            return Owner::App(app);
        }
        match expression.get_inner_expression() {
            Expression::StaticMemberExpression(member) => {
                Owner::Name(member.property.name.to_string())
            }
            Expression::Identifier(name) => Owner::Name(name.name.to_string()),
            _ => Owner::This,
        }
    }

    /// Binds the names of `const pattern = value`.
    fn bind_value(&mut self, pattern: &BindingPattern<'_>, value: &Expression<'_>) {
        if let Some(owner) = self.auth(value) {
            return self.bind_credentials(pattern, &owner);
        }
        if let BindingPattern::BindingIdentifier(name) = pattern {
            if let Some((owner, field)) = self.field(value) {
                self.scopes.declare(&name.name, Local::Field(owner, field));
            } else if let Some(source) = required(value) {
                self.file.imported.insert(name.name.to_string(), source);
            }
            return;
        }
        self.bind_auth(pattern, holder(value));
    }

    /// The field that an expression reads: `x.$auth.field`.
    fn field(&self, expression: &Expression<'_>) -> Option<(Owner, String)> {
        let member = expression.get_inner_expression().as_member_expression()?;
        let owner = self.auth(member.object())?;
        Some((owner, member.static_property_name()?.to_owned()))
    }

    /// Names of `const { a, b: c, ...rest } = x.$auth`.
    fn bind_fields(&mut self, pattern: &ObjectPattern<'_>, owner: &Owner) {
        for property in &pattern.properties {
            let Some(field) = property.key.static_name() else {
                continue;
            };
            self.fields(owner).name(&field);
            self.bind_field(&property.value, owner, &field);
        }
        if let Some(rest) = &pattern.rest
            && let BindingPattern::BindingIdentifier(name) = &rest.argument
        {
            self.scopes.declare(&name.name, Local::Auth(owner.clone()));
        }
    }

    fn bind_field(&mut self, pattern: &BindingPattern<'_>, owner: &Owner, field: &str) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let local = Local::Field(owner.clone(), field.to_owned());
                self.scopes.declare(&name.name, local);
            }
            BindingPattern::AssignmentPattern(with_default) => {
                self.read(owner, field, Use::Tested);
                self.bind_field(&with_default.left, owner, field);
            }
            BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_) => {
                self.read(owner, field, self.place());
            }
        }
    }

    /// Finds `$auth` in a pattern, as in `const { $auth } = this` and `({ acme: { $auth: { token } } }) => …`.
    fn bind_auth(&mut self, pattern: &BindingPattern<'_>, holder: Option<&str>) {
        let pattern = match pattern {
            BindingPattern::ObjectPattern(pattern) => pattern,
            BindingPattern::AssignmentPattern(with_default) => {
                return self.bind_auth(&with_default.left, holder);
            }
            BindingPattern::BindingIdentifier(_) | BindingPattern::ArrayPattern(_) => return,
        };
        for property in &pattern.properties {
            let Some(key) = property.key.static_name() else {
                continue;
            };
            if key != AUTH {
                self.bind_auth(&property.value, Some(&key));
                continue;
            }
            let owner = match (self.app, holder) {
                (Some(app), _) => Owner::App(app),
                (None, Some(holder)) => Owner::Name(holder.to_owned()),
                (None, None) => Owner::This,
            };
            self.bind_credentials(&property.value, &owner);
        }
    }

    /// Binds a pattern to the credentials of `owner`.
    fn bind_credentials(&mut self, pattern: &BindingPattern<'_>, owner: &Owner) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                self.scopes.declare(&name.name, Local::Auth(owner.clone()));
            }
            BindingPattern::ObjectPattern(fields) => self.bind_fields(fields, owner),
            BindingPattern::AssignmentPattern(with_default) => {
                self.bind_credentials(&with_default.left, owner);
            }
            BindingPattern::ArrayPattern(_) => {}
        }
    }

    /// `({ a, b: c } = x.$auth)`.
    fn assign_fields(&mut self, target: &AssignmentTarget<'_>, owner: &Owner) {
        let AssignmentTarget::ObjectAssignmentTarget(pattern) = target else {
            return;
        };
        for property in &pattern.properties {
            let (field, has_default) = match property {
                AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => (
                    Some(property.binding.name.to_string()),
                    property.init.is_some(),
                ),
                AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                    let name = property.name.static_name();
                    (name.map(|name| name.to_string()), false)
                }
            };
            if let Some(field) = field {
                let place = if has_default {
                    Use::Tested
                } else {
                    self.place()
                };
                self.read(owner, &field, place);
            }
        }
    }
}

/// The name of `acme` in `const { $auth } = this.acme`.
fn holder<'e>(value: &'e Expression<'_>) -> Option<&'e str> {
    match value.get_inner_expression() {
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        Expression::Identifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

/// The specifier of `require("…")`.
fn required(value: &Expression<'_>) -> Option<String> {
    let Expression::CallExpression(call) = value else {
        return None;
    };
    let specifier = call.common_js_require()?;
    Some(specifier.value.to_string())
}

impl<'a> Visit<'a> for Reader {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        for specifier in import.specifiers.iter().flatten() {
            let local = specifier.local().name.to_string();
            let source = import.source.value.to_string();
            self.file.imported.insert(local, source);
        }
    }

    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        let outside = self.app;
        if let Some(slug) = app_slug(object) {
            self.app = Some(self.file.apps.len());
            self.file.apps.push(AppReads {
                slug,
                ..AppReads::default()
            });
        }
        walk::walk_object_expression(self, object);
        self.app = outside;
    }

    fn visit_spread_element(&mut self, spread: &SpreadElement<'a>) {
        if let Some(app) = self.app {
            let spreads = &mut self.file.apps[app].spreads;
            spreads.extend(spread_name(&spread.argument));
        }
        walk::walk_spread_element(self, spread);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if let Some(owner) = self.auth(&member.object) {
            let place = if member.optional {
                Use::Tested
            } else {
                self.place()
            };
            self.read(&owner, member.property.name.as_str(), place);
        }
        if member.optional {
            self.test(&member.object);
        } else {
            self.visit_expression(&member.object);
        }
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if let Expression::StringLiteral(name) = &member.expression
            && let Some(owner) = self.auth(&member.object)
        {
            let place = if member.optional {
                Use::Tested
            } else {
                self.place()
            };
            self.read(&owner, name.value.as_str(), place);
        }
        if member.optional {
            self.test(&member.object);
        } else {
            self.visit_expression(&member.object);
        }
        self.visit_expression(&member.expression);
    }

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        if let Some(Local::Field(owner, field)) = self.scopes.get(&name.name).cloned() {
            self.read(&owner, &field, self.place());
        }
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(value) = &declarator.init {
            self.visit_expression(value);
            self.bind_value(&declarator.id, value);
        }
        self.visit_binding_pattern(&declarator.id);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let Some(owner) = self.auth(&assignment.right) {
            self.assign_fields(&assignment.left, &owner);
        }
        if assignment.operator.is_logical() {
            self.branch(|reader| reader.visit_expression(&assignment.right));
        } else {
            self.visit_expression(&assignment.right);
        }
        self.visit_assignment_target(&assignment.left);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        self.bind_auth(&parameter.pattern, None);
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.function(|reader| walk::walk_function(reader, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.function(|reader| walk::walk_arrow_function_expression(reader, arrow));
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.test(&statement.test);
        self.branch(|reader| {
            reader.visit_statement(&statement.consequent);
            if let Some(otherwise) = &statement.alternate {
                reader.visit_statement(otherwise);
            }
        });
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        self.test(&statement.discriminant);
        self.branch(|reader| reader.visit_switch_cases(&statement.cases));
    }

    fn visit_conditional_expression(&mut self, conditional: &ConditionalExpression<'a>) {
        self.test(&conditional.test);
        self.branch(|reader| {
            reader.visit_expression(&conditional.consequent);
            reader.visit_expression(&conditional.alternate);
        });
    }

    fn visit_logical_expression(&mut self, logical: &LogicalExpression<'a>) {
        let before = self.reads;
        self.test(&logical.left);
        let is_fallback = logical.operator != LogicalOperator::And;
        if is_fallback && self.reads == before {
            // In `options.key || this.$auth.key` the credentials are the default, and so needed.
            self.visit_expression(&logical.right);
        } else {
            self.branch(|reader| reader.visit_expression(&logical.right));
        }
    }

    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        if binary.operator.is_equality() || binary.operator.is_relational() {
            self.test(&binary.left);
            self.test(&binary.right);
        } else {
            walk::walk_binary_expression(self, binary);
        }
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if matches!(
            unary.operator,
            UnaryOperator::LogicalNot | UnaryOperator::Typeof
        ) {
            self.test(&unary.argument);
        } else {
            walk::walk_unary_expression(self, unary);
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let is_test =
            matches!(&call.callee, Expression::Identifier(name) if name.name == "Boolean");
        let outside = self.is_tested;
        self.is_tested |= is_test;
        if call.optional {
            self.test(&call.callee);
        } else {
            self.visit_expression(&call.callee);
        }
        self.visit_arguments(&call.arguments);
        self.is_tested = outside;
    }
}
