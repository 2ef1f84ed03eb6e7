//! Recognizes the definition of an app.

use oxc_ast::ast::{Expression, ObjectExpression, ObjectPropertyKind};

/// The slug of an app: an object with `app: "<slug>"` and `type: "app"`. An object that spreads another one may have its type
/// from there.
pub(super) fn app_slug(object: &ObjectExpression<'_>) -> Option<String> {
    let (mut slug, mut is_app, mut is_spread) = (None, None, false);
    for property in &object.properties {
        match property {
            ObjectPropertyKind::SpreadProperty(_) => is_spread = true,
            ObjectPropertyKind::ObjectProperty(property) => {
                match property.key.static_name().as_deref() {
                    Some("type") => is_app = Some(text_of(&property.value) == Some("app")),
                    Some("app") => slug = text_of(&property.value),
                    _ => {}
                }
            }
        }
    }
    let slug = slug?.to_owned();
    is_app.unwrap_or(is_spread).then_some(slug)
}

/// The value of a text, with or without `as const` after it.
fn text_of<'e>(expression: &'e Expression<'_>) -> Option<&'e str> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(literal) => Some(literal.value.as_str()),
        _ => None,
    }
}

/// The local name of the object that `...name` or `...name.methods` spreads.
pub(super) fn spread_name(argument: &Expression<'_>) -> Option<String> {
    match argument.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.to_string()),
        Expression::StaticMemberExpression(member) => spread_name(&member.object),
        Expression::ChainExpression(chain) => {
            let member = chain.expression.as_member_expression()?;
            spread_name(member.object())
        }
        _ => None,
    }
}
