//! The credential fields that code reads: `this.$auth.api_key` in an app, `this.acme.$auth.token` in a component, and both by
//! destructuring.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    BindingPattern, ComputedMemberExpression, Expression, ObjectExpression, ObjectPropertyKind,
    Program, PropertyKey, StaticMemberExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};

const AUTH: &str = "$auth";

/// Names of fields by their owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthFields {
    /// By the slug of an app that the code defines.
    pub of_apps: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a prop.
    pub of_props: BTreeMap<String, BTreeSet<String>>,
}

impl AuthFields {
    /// Adds the fields of another file.
    pub(crate) fn extend(&mut self, other: &AuthFields) {
        for (ours, theirs) in [
            (&mut self.of_apps, &other.of_apps),
            (&mut self.of_props, &other.of_props),
        ] {
            for (owner, fields) in theirs {
                let known = ours.entry(owner.clone()).or_default();
                known.extend(fields.iter().cloned());
            }
        }
    }
}

pub(crate) fn of(program: &Program<'_>) -> AuthFields {
    let mut collector = Collector::default();
    collector.visit_program(program);
    collector.fields
}

#[derive(Default)]
struct Collector {
    fields: AuthFields,
    /// The app whose definition is being visited.
    app: Option<String>,
}

impl Collector {
    fn add(&mut self, owner: &Expression<'_>, field: &str) {
        let fields = match (owner, &self.app) {
            (Expression::StaticMemberExpression(prop), None) => {
                let name = prop.property.name.to_string();
                self.fields.of_props.entry(name).or_default()
            }
            (_, Some(app)) => self.fields.of_apps.entry(app.clone()).or_default(),
            (_, None) => return,
        };
        fields.insert(field.to_owned());
    }

    fn read(&mut self, object: &Expression<'_>, field: &str) {
        if let Some(owner) = owner_of_auth(object) {
            self.add(owner, field);
        }
    }
}

impl<'a> Visit<'a> for Collector {
    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        let outside = self.app.clone();
        if let Some(app) = app_slug(object) {
            self.fields.of_apps.entry(app.clone()).or_default();
            self.app = Some(app);
        }
        walk::walk_object_expression(self, object);
        self.app = outside;
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        self.read(&member.object, member.property.name.as_str());
        walk::walk_static_member_expression(self, member);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if let Expression::StringLiteral(name) = &member.expression {
            self.read(&member.object, name.value.as_str());
        }
        walk::walk_computed_member_expression(self, member);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (BindingPattern::ObjectPattern(pattern), Some(value)) =
            (&declarator.id, &declarator.init)
        {
            for property in &pattern.properties {
                if let Some(name) = property.key.static_name() {
                    self.read(value, &name);
                }
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }
}

/// The `x` of `x.$auth`, `x?.$auth` and `x.$auth ?? {}`.
fn owner_of_auth<'e, 'a>(expression: &'e Expression<'a>) -> Option<&'e Expression<'a>> {
    match expression {
        Expression::StaticMemberExpression(member) if member.property.name == AUTH => {
            Some(&member.object)
        }
        Expression::LogicalExpression(either) => owner_of_auth(&either.left),
        Expression::ParenthesizedExpression(inner) => owner_of_auth(&inner.expression),
        Expression::ChainExpression(chain) => {
            let member = chain.expression.as_member_expression()?;
            (member.static_property_name() == Some(AUTH)).then(|| member.object())
        }
        _ => None,
    }
}

/// The slug of an app definition: an object with `type: "app"` and `app: "<slug>"`.
fn app_slug(object: &ObjectExpression<'_>) -> Option<String> {
    let text = |wanted: &str| {
        object.properties.iter().find_map(|property| {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                return None;
            };
            match (&property.key, &property.value) {
                (PropertyKey::StaticIdentifier(key), Expression::StringLiteral(value))
                    if key.name == wanted =>
                {
                    Some(value.value.to_string())
                }
                (PropertyKey::StringLiteral(key), Expression::StringLiteral(value))
                    if key.value == wanted =>
                {
                    Some(value.value.to_string())
                }
                _ => None,
            }
        })
    };
    (text("type")? == "app").then(|| text("app")).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, parse::parse};

    fn auth_fields(code: &str) -> AuthFields {
        let parsed = parse(code, Some(Language::JavaScript), |parsed| {
            of(&parsed.program)
        });
        parsed.map(|(_, fields)| fields).unwrap_or_default()
    }

    fn names(fields: &BTreeMap<String, BTreeSet<String>>, owner: &str) -> Vec<String> {
        fields[owner].iter().cloned().collect()
    }

    #[test]
    fn credentials_that_an_app_reads_are_listed() {
        let fields = auth_fields(
            r#"
            const acme = { type: "app", app: "acme", methods: {
                headers() { return { key: this.$auth.api_key, other: this.$auth["x-token"], maybe: this.$auth?.region }; },
                more() { const { user, pass: secret, ...rest } = this.$auth; const { late } = this.$auth ?? {}; },
            } };
            const bolt = { "type": "app", "app": "bolt", methods: {} };
            export default { props: { acme, bolt } };"#,
        );
        assert_eq!(
            names(&fields.of_apps, "acme"),
            ["api_key", "late", "pass", "region", "user", "x-token"]
        );
        assert!(fields.of_apps["bolt"].is_empty());
        assert!(fields.of_props.is_empty());
    }

    #[test]
    fn credentials_that_a_component_reads_are_listed_by_prop() {
        let fields = auth_fields(
            "module.exports = { run() { const { b } = this.acme.$auth; return this.acme.$auth.a + this.bolt?.$auth.c; } };",
        );
        assert_eq!(names(&fields.of_props, "acme"), ["a", "b"]);
        assert_eq!(names(&fields.of_props, "bolt"), ["c"]);
    }
}
