//! Which credentials of its apps code reads, as far as its text tells: `this.$auth.api_key` in an app, `this.acme.$auth.token`
//! in a component, and both by destructuring.

use std::collections::{BTreeMap, BTreeSet};

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    BindingPattern, ComputedMemberExpression, Expression, ObjectExpression, ObjectPropertyKind,
    PropertyKey, StaticMemberExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};

use crate::{
    analysis::{self, Language},
    deep_stack::with_room_for,
};

const AUTH: &str = "$auth";

/// Names of fields, by whose they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AuthFields {
    /// By the slug of an app that the code defines.
    pub of_apps: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a prop.
    pub of_props: BTreeMap<String, BTreeSet<String>>,
}

/// What `code`, which parses, reads of credentials.
pub fn auth_fields(code: &str) -> AuthFields {
    with_room_for(code, || {
        let allocator = Allocator::default();
        let parsed = analysis::parse(&allocator, code, Language::JavaScript.source_type());
        let mut finder = Finder::default();
        finder.visit_program(&parsed.program);
        finder.found
    })
    .unwrap_or_default()
}

#[derive(Default)]
struct Finder {
    found: AuthFields,
    /// The app whose definition is being read.
    app: Option<String>,
}

impl Finder {
    fn note(&mut self, owner: &Expression<'_>, field: &str) {
        let fields = match (owner, &self.app) {
            (Expression::StaticMemberExpression(prop), None) => {
                let name = prop.property.name.to_string();
                self.found.of_props.entry(name).or_default()
            }
            (_, Some(app)) => self.found.of_apps.entry(app.clone()).or_default(),
            (_, None) => return,
        };
        fields.insert(field.to_owned());
    }

    fn read(&mut self, object: &Expression<'_>, field: &str) {
        if let Some(owner) = owner_of_auth(object) {
            self.note(owner, field);
        }
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        let outside = self.app.clone();
        if let Some(app) = app_slug(object) {
            self.found.of_apps.entry(app.clone()).or_default();
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

/// Of `x.$auth`, `x?.$auth` and `x.$auth ?? {}`, the `x`.
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

    fn names(fields: &BTreeMap<String, BTreeSet<String>>, owner: &str) -> Vec<String> {
        fields[owner].iter().cloned().collect()
    }

    #[test]
    fn what_an_app_reads_of_its_own_credentials_is_found() {
        let found = auth_fields(
            r#"
            const acme = { type: "app", app: "acme", methods: {
                headers() { return { key: this.$auth.api_key, other: this.$auth["x-token"], maybe: this.$auth?.region }; },
                more() { const { user, pass: secret, ...rest } = this.$auth; const { late } = this.$auth ?? {}; },
            } };
            const bolt = { "type": "app", "app": "bolt", methods: {} };
            export default { props: { acme, bolt } };"#,
        );
        assert_eq!(
            names(&found.of_apps, "acme"),
            ["api_key", "late", "pass", "region", "user", "x-token"]
        );
        assert!(found.of_apps["bolt"].is_empty());
        assert!(found.of_props.is_empty());
    }

    #[test]
    fn what_a_component_reads_of_a_prop_is_found() {
        let found = auth_fields(
            "module.exports = { run() { const { b } = this.acme.$auth; return this.acme.$auth.a + this.bolt?.$auth.c; } };",
        );
        assert_eq!(names(&found.of_props, "acme"), ["a", "b"]);
        assert_eq!(names(&found.of_props, "bolt"), ["c"]);
    }
}
