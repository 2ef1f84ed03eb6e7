//! The values of expressions. Evaluating changes nothing and runs no function.

use std::{collections::HashMap, rc::Rc};

use super::{
    names::is_node_module,
    program::{Arithmetic, Element, Expression, Logical, ObjectFunction, Property},
    value::{Array, Object, StandIn, Value},
};
use crate::specifier::Specifier;

/// Steps for one component. Variables can multiply values.
const MAX_STEPS: usize = 200_000;
/// Bytes of a text that is put together.
const MAX_TEXT: usize = 64 << 10;
/// Integers up to here are exact.
pub(super) const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The variables of a file.
pub(super) type Variables<'p> = HashMap<&'p str, Value>;

/// A bound on the work for a component.
pub(super) struct Steps(usize);

impl Steps {
    pub(super) fn new() -> Steps {
        Steps(MAX_STEPS)
    }

    /// `None` if there are not that many left.
    pub(super) fn take(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.checked_sub(count)?;
        Some(())
    }
}

pub(super) struct Evaluator<'e, 'p> {
    pub(super) variables: &'e Variables<'p>,
    pub(super) steps: &'e mut Steps,
}

impl Evaluator<'_, '_> {
    /// `None` if the value is not known, or evaluating it throws.
    pub(super) fn value(&mut self, expression: &Expression) -> Option<Value> {
        self.steps.take(1)?;
        Some(match expression {
            Expression::Undefined => Value::Undefined,
            Expression::Null => Value::Null,
            Expression::Boolean(value) => Value::Boolean(*value),
            Expression::Number(number) => Value::Number(*number),
            Expression::Text(text) => Value::text(text),
            Expression::Function => Value::Function,
            Expression::Pattern => Value::Unknown,
            Expression::Name(name) => self.variable(name)?,
            Expression::Template(texts, values) => self.template(texts, values)?,
            Expression::Array(elements) => Value::Array(Rc::new(self.array(elements)?)),
            Expression::Object(properties) => self.object(properties)?,
            Expression::Member(object, name) => {
                let object = self.value(object)?;
                object.member(&property_name(&self.value(name)?)?)?
            }
            Expression::Class(parent) => self.class(parent.as_deref())?,
            Expression::Require(specifier) => required(specifier)?,
            Expression::Call(callee, arguments) => self.call(callee, arguments)?,
            Expression::New(callee, arguments) => {
                let Value::StandIn(_) = self.value(callee)? else {
                    return None;
                };
                self.array(arguments)?;
                Value::StandIn(StandIn::Other)
            }
            Expression::OfObject(function, argument) => {
                let argument = self.value(argument)?;
                self.of_object(*function, argument)?
            }
            Expression::Conditional(parts) => {
                let [test, then, other] = &**parts;
                let is_true = self.value(test)?.is_truthy()?;
                self.value(if is_true { then } else { other })?
            }
            Expression::Logical(operator, sides) => self.logical(*operator, sides)?,
            Expression::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                let (left, right) = (self.value(left)?, self.value(right)?);
                arithmetic(*operator, &left, &right)?
            }
            Expression::Not(argument) => Value::Boolean(!self.value(argument)?.is_truthy()?),
            Expression::Negative(argument) => match self.value(argument)? {
                Value::Number(number) => Value::Number(-number),
                _ => return None,
            },
        })
    }

    /// Functions of the code are never called.
    fn call(&mut self, callee: &Expression, arguments: &[Element]) -> Option<Value> {
        let callee = self.value(callee)?;
        let arguments = self.array(arguments)?;
        match callee {
            Value::StandIn(_) => Some(Value::StandIn(StandIn::Other)),
            Value::Identity => arguments.items().first().cloned(),
            _ => None,
        }
    }

    fn logical(&mut self, operator: Logical, [left, right]: &[Expression; 2]) -> Option<Value> {
        let left = self.value(left)?;
        let is_decided = match operator {
            Logical::And => !left.is_truthy()?,
            Logical::Or => left.is_truthy()?,
            Logical::Coalesce => match left {
                Value::Unknown => return None,
                Value::Undefined | Value::Null => false,
                _ => true,
            },
        };
        if is_decided {
            Some(left)
        } else {
            self.value(right)
        }
    }

    /// A variable before its declaration is not known.
    fn variable(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.variables.get(name) {
            return Some(value.clone());
        }
        match name {
            "undefined" => Some(Value::Undefined),
            "NaN" => Some(Value::Number(f64::NAN)),
            "Infinity" => Some(Value::Number(f64::INFINITY)),
            "Error" => Some(Value::Class),
            _ => None,
        }
    }

    fn class(&mut self, parent: Option<&Expression>) -> Option<Value> {
        let Some(parent) = parent else {
            return Some(Value::Class);
        };
        matches!(self.value(parent)?, Value::Class | Value::StandIn(_)).then_some(Value::Class)
    }

    fn template(&mut self, texts: &[String], values: &[Expression]) -> Option<Value> {
        let mut whole = String::new();
        for (number, text) in texts.iter().enumerate() {
            whole.push_str(text);
            if let Some(value) = values.get(number) {
                whole.push_str(&as_text(&self.value(value)?)?);
            }
            if whole.len() > MAX_TEXT {
                return None;
            }
        }
        Some(Value::text(&whole))
    }

    fn array(&mut self, elements: &[Element]) -> Option<Array> {
        let mut array = Array::default();
        for element in elements {
            match element {
                Element::One(element) => array.push(self.value(element)?)?,
                Element::Spread(element) => match self.value(element)? {
                    Value::Array(more) => {
                        self.steps.take(more.items().len())?;
                        for item in more.items() {
                            array.push(item.clone())?;
                        }
                    }
                    // Its iterator is empty.
                    Value::StandIn(_) => {}
                    _ => return None,
                },
            }
        }
        Some(array)
    }

    fn object(&mut self, properties: &[Property]) -> Option<Value> {
        let mut object = Object::default();
        for property in properties {
            match property {
                Property::Field(name, value) => {
                    let name = property_name(&self.value(name)?)?;
                    let value = self.value(value)?;
                    self.set(&mut object, name, value)?;
                }
                Property::Spread(value) => match self.value(value)? {
                    Value::Object(more) => {
                        for (name, value) in more.fields() {
                            self.set(&mut object, Rc::clone(name), value.clone())?;
                        }
                    }
                    // Without fields that a spread copies.
                    Value::Undefined
                    | Value::Null
                    | Value::Boolean(_)
                    | Value::Number(_)
                    | Value::Function
                    | Value::Identity
                    | Value::Class
                    | Value::StandIn(_) => {}
                    Value::Text(_) | Value::Array(_) | Value::NodeModule | Value::Unknown => {
                        return None;
                    }
                },
            }
        }
        Some(Value::Object(Rc::new(object)))
    }

    fn set(&mut self, object: &mut Object, name: Rc<str>, value: Value) -> Option<()> {
        self.steps.take(1 + object.fields().len() / 16)?;
        object.set(name, value)
    }

    fn of_object(&mut self, function: ObjectFunction, argument: Value) -> Option<Value> {
        let Value::Object(object) = &argument else {
            return None;
        };
        let fields = object.fields();
        self.steps.take(fields.len())?;
        let mut array = Array::default();
        for (name, value) in fields {
            array.push(match function {
                ObjectFunction::Freeze => return Some(argument),
                ObjectFunction::Keys => Value::Text(Rc::clone(name)),
                ObjectFunction::Values => value.clone(),
                ObjectFunction::Entries => {
                    let mut entry = Array::default();
                    entry.push(Value::Text(Rc::clone(name)))?;
                    entry.push(value.clone())?;
                    Value::Array(Rc::new(entry))
                }
            })?;
        }
        Some(match function {
            ObjectFunction::Freeze => argument,
            _ => Value::Array(Rc::new(array)),
        })
    }
}

/// The exports of a package or of a module of Node, in CommonJS.
fn required(specifier: &str) -> Option<Value> {
    match Specifier::parse(specifier) {
        Specifier::Package(_) => StandIn::of_package(specifier).map(Value::StandIn),
        Specifier::Other if is_node_module(specifier) => Some(Value::NodeModule),
        _ => None,
    }
}

fn property_name(value: &Value) -> Option<Rc<str>> {
    match value {
        Value::Text(text) => Some(Rc::clone(text)),
        Value::Number(_) => as_text(value).map(Rc::from),
        _ => None,
    }
}

/// The text of a value in a template.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => integer(*number).map(|integer| integer.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::StandIn(_) => Some(String::new()),
        _ => None,
    }
}

/// An integer that has the same text in every language.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn integer(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MAX_INTEGER).then_some(number as i64)
}

fn arithmetic(operator: Arithmetic, left: &Value, right: &Value) -> Option<Value> {
    let value = match (operator, left, right) {
        (Arithmetic::Add, Value::Number(left), Value::Number(right)) => left + right,
        (Arithmetic::Subtract, Value::Number(left), Value::Number(right)) => left - right,
        (Arithmetic::Multiply, Value::Number(left), Value::Number(right)) => left * right,
        (Arithmetic::Divide, Value::Number(left), Value::Number(right)) => left / right,
        (Arithmetic::Add, Value::Text(_), Value::Text(_) | Value::Number(_))
        | (Arithmetic::Add, Value::Number(_), Value::Text(_)) => {
            let text = as_text(left)? + &as_text(right)?;
            return (text.len() <= MAX_TEXT).then(|| Value::text(&text));
        }
        _ => return None,
    };
    Some(Value::Number(value))
}
