//! The values of expressions.

use std::rc::Rc;

use super::names::{is_inherited, is_special_field};

/// Values nest no deeper than this.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Clone)]
pub(super) enum Value {
    Undefined,
    Null,
    Boolean(bool),
    Number(f64),
    Text(Rc<str>),
    Array(Rc<Array>),
    Object(Rc<Object>),
    Function,
    Class,
    /// A function that returns its argument.
    Identity,
    StandIn(StandIn),
    /// A module of Node.
    NodeModule,
    /// A value that is not known. It may be undefined.
    Unknown,
}

/// The stand-in for a package, or for something in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StandIn {
    Other,
    /// `@pipedream/platform`
    Platform,
    /// `@pipedream/types`
    Types,
}

#[derive(Debug, Default)]
pub(super) struct Array {
    items: Vec<Value>,
    depth: usize,
}

/// An object without a prototype of its own.
#[derive(Debug, Default)]
pub(super) struct Object {
    fields: Vec<(Rc<str>, Value)>,
    depth: usize,
}

impl Value {
    pub(super) fn text(text: &str) -> Value {
        Value::Text(Rc::from(text))
    }

    fn depth(&self) -> usize {
        match self {
            Value::Array(array) => array.depth,
            Value::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// Whether `typeof` says "function".
    pub(super) fn is_function(&self) -> bool {
        matches!(
            self,
            Value::Function | Value::Class | Value::Identity | Value::StandIn(_)
        )
    }

    pub(super) fn is_stand_in(&self) -> bool {
        matches!(self, Value::StandIn(_))
    }

    /// Whether it counts as true in a condition.
    pub(super) fn is_truthy(&self) -> Option<bool> {
        Some(match self {
            Value::Undefined | Value::Null => false,
            Value::Boolean(value) => *value,
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::Text(text) => !text.is_empty(),
            Value::Unknown => return None,
            _ => true,
        })
    }

    /// A property. `None` if it is not known or the access throws.
    pub(super) fn member(&self, name: &str) -> Option<Value> {
        match self {
            Value::Object(object) => match object.get(name) {
                Some(value) => Some(value.clone()),
                None if is_inherited(name) => None,
                None => Some(Value::Undefined),
            },
            Value::Array(array) if name == "length" => Some(array.length()),
            Value::Array(array) => {
                let index: usize = name.parse().ok()?;
                (index.to_string() == name).then_some(())?;
                Some(array.items.get(index).cloned().unwrap_or(Value::Undefined))
            }
            Value::StandIn(stand_in) => stand_in.member(name),
            Value::NodeModule if !is_inherited(name) => Some(Value::Unknown),
            _ => None,
        }
    }
}

impl StandIn {
    pub(super) fn of_package(specifier: &str) -> Option<StandIn> {
        match specifier {
            "@pipedream/platform" => Some(StandIn::Platform),
            "@pipedream/types" => Some(StandIn::Types),
            // The stand-in of an app has props of its own.
            _ if specifier.starts_with("@pipedream/") => None,
            _ => Some(StandIn::Other),
        }
    }

    pub(super) fn member(self, name: &str) -> Option<Value> {
        let value = match (self, name) {
            (StandIn::Platform, "ConfigurationError") => Value::Class,
            (StandIn::Platform, "DEFAULT_POLLING_SOURCE_TIMER_INTERVAL") => Value::Number(900.0),
            (StandIn::Types, "defineApp" | "defineAction" | "defineSource" | "defineComponent") => {
                Value::Identity
            }
            (stand_in, "default") => Value::StandIn(stand_in),
            (_, name) if is_inherited(name) => return None,
            _ => Value::StandIn(StandIn::Other),
        };
        Some(value)
    }
}

impl Array {
    pub(super) fn items(&self) -> &[Value] {
        &self.items
    }

    fn length(&self) -> Value {
        u32::try_from(self.items.len())
            .map_or(Value::Unknown, |length| Value::Number(length.into()))
    }

    /// `None` if it is nested too deeply.
    pub(super) fn push(&mut self, value: Value) -> Option<()> {
        self.depth = self.depth.max(nested(&value)?);
        self.items.push(value);
        Some(())
    }
}

impl Object {
    pub(super) fn fields(&self) -> &[(Rc<str>, Value)] {
        &self.fields
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut fields = self.fields.iter();
        fields
            .find(|(field, _)| **field == *name)
            .map(|(_, value)| value)
    }

    /// Sets a field. One that is there keeps its place. `None` if that is not possible.
    pub(super) fn set(&mut self, name: Rc<str>, value: Value) -> Option<()> {
        if is_special_field(&name) {
            return None;
        }
        self.depth = self.depth.max(nested(&value)?);
        match self.fields.iter_mut().find(|(field, _)| *field == name) {
            Some((_, known)) => *known = value,
            None => self.fields.push((name, value)),
        }
        Some(())
    }
}

/// The depth of an object with this value.
fn nested(value: &Value) -> Option<usize> {
    let depth = value.depth() + 1;
    (depth <= MAX_DEPTH).then_some(depth)
}
