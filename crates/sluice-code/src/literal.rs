//! The value of an expression that consists of literals, as JSON. Nothing is run.

use oxc_ast::ast::{
    ArrayExpressionElement, BinaryOperator, Expression, ObjectExpression, ObjectPropertyKind,
    Program, PropertyKind, TemplateLiteral, UnaryOperator,
};
use serde_json::{Map, Number, Value};

use crate::default_export::variable;

/// Variables can multiply a value.
const MAX_VALUES: usize = 20_000;
/// Variables can lead in circles.
const MAX_DEPTH: usize = 100;
/// Larger integers are not exact.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The value of an expression; variables of the file are followed. `None` if the value is only known when the code runs.
pub(crate) fn value_of(program: &Program<'_>, expression: &Expression<'_>) -> Option<Value> {
    let mut reader = Reader {
        program,
        left: MAX_VALUES,
        depth: 0,
    };
    match reader.read(expression)? {
        Literal::Value(value) => Some(value),
        Literal::Undefined => None,
    }
}

enum Literal {
    Value(Value),
    /// As in JSON, an object has no such property.
    Undefined,
}

struct Reader<'r, 'a> {
    program: &'r Program<'a>,
    left: usize,
    depth: usize,
}

impl Reader<'_, '_> {
    fn read(&mut self, expression: &Expression<'_>) -> Option<Literal> {
        self.left = self.left.checked_sub(1)?;
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let literal = self.read_value(expression);
        self.depth -= 1;
        literal
    }

    fn read_value(&mut self, expression: &Expression<'_>) -> Option<Literal> {
        let value = match expression.get_inner_expression() {
            Expression::NullLiteral(_) => Value::Null,
            Expression::BooleanLiteral(literal) => Value::Bool(literal.value),
            Expression::NumericLiteral(literal) => number(literal.value)?,
            Expression::StringLiteral(literal) if !literal.lone_surrogates => {
                Value::from(literal.value.as_str())
            }
            Expression::TemplateLiteral(template) => Value::from(template_text(template)?),
            Expression::UnaryExpression(unary) => match unary.operator {
                UnaryOperator::UnaryNegation => number(-self.number(&unary.argument)?)?,
                UnaryOperator::UnaryPlus => number(self.number(&unary.argument)?)?,
                UnaryOperator::Void => return Some(Literal::Undefined),
                _ => return None,
            },
            Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Addition => {
                let (left, right) = (self.text(&binary.left)?, self.text(&binary.right)?);
                Value::from(left + &right)
            }
            Expression::ArrayExpression(array) => {
                let elements = array.elements.iter();
                let values: Option<Vec<Value>> = elements.map(|one| self.element(one)).collect();
                Value::Array(values?)
            }
            Expression::ObjectExpression(object) => Value::Object(self.object(object)?),
            Expression::Identifier(name) => match variable(self.program, name.name.as_str()) {
                Some(value) => return self.read(value),
                None if name.name == "undefined" => return Some(Literal::Undefined),
                None => return None,
            },
            _ => return None,
        };
        Some(Literal::Value(value))
    }

    fn object(&mut self, object: &ObjectExpression<'_>) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    if property.kind != PropertyKind::Init || property.method {
                        return None;
                    }
                    let name = property.key.static_name()?;
                    match self.read(&property.value)? {
                        Literal::Value(value) => members.insert(name.into_owned(), value),
                        Literal::Undefined => members.remove(&*name),
                    };
                }
                ObjectPropertyKind::SpreadProperty(spread) => match self.read(&spread.argument)? {
                    Literal::Value(Value::Object(more)) => members.extend(more),
                    _ => return None,
                },
            }
        }
        Some(members)
    }

    fn element(&mut self, element: &ArrayExpressionElement<'_>) -> Option<Value> {
        match element {
            ArrayExpressionElement::Elision(_) => Some(Value::Null),
            ArrayExpressionElement::SpreadElement(_) => None,
            value => match self.read(value.as_expression()?)? {
                Literal::Value(value) => Some(value),
                Literal::Undefined => Some(Value::Null),
            },
        }
    }

    fn number(&mut self, expression: &Expression<'_>) -> Option<f64> {
        match self.read(expression)? {
            Literal::Value(Value::Number(number)) => number.as_f64(),
            _ => None,
        }
    }

    fn text(&mut self, expression: &Expression<'_>) -> Option<String> {
        match self.read(expression)? {
            Literal::Value(Value::String(text)) => Some(text),
            _ => None,
        }
    }
}

fn template_text(template: &TemplateLiteral<'_>) -> Option<String> {
    if !template.expressions.is_empty() {
        return None;
    }
    let quasis = template.quasis.iter();
    quasis
        .map(|part| Some(part.value.cooked.as_ref()?.as_str()))
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() <= MAX_INTEGER {
        Some(Value::from(value as i64))
    } else {
        Number::from_f64(value).map(Value::Number)
    }
}
