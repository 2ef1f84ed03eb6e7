//! The shape of a component object: the counterpart of `js/shape.mjs` in the runtime.

use std::rc::Rc;

use serde_json::{Map, Number, Value as Json, json};
use sluice_model::{RawProp, RawShape};

use super::{
    evaluate::{MAX_INTEGER, Steps, integer},
    value::{Object, Value},
};

/// `None` if the shape is not known.
pub(super) fn describe(component: &Value, steps: &mut Steps) -> Option<RawShape> {
    let Value::Object(component) = component else {
        return None;
    };
    let mut describer = Describer {
        steps,
        warnings: Vec::new(),
    };
    let plain = |field: &str, describer: &mut Describer<'_>| match component.get(field) {
        Some(value) => describer.plain(value).map(Option::unwrap_or_default),
        None => Some(Json::Null),
    };
    let is_function = |field: &str| match component.get(field) {
        Some(Value::Unknown) => None,
        value => Some(value.is_some_and(Value::is_function)),
    };
    Some(RawShape {
        name: plain("name", &mut describer)?,
        key: plain("key", &mut describer)?,
        version: plain("version", &mut describer)?,
        description: plain("description", &mut describer)?,
        kind: plain("type", &mut describer)?,
        dedupe: plain("dedupe", &mut describer)?,
        props: describer.props(fields_of(component.get("props"))?)?,
        hooks: hooks(fields_of(component.get("hooks"))?)?,
        has_run: is_function("run")?,
        has_additional_props: is_function("additionalProps")?,
        warnings: describer.warnings,
    })
}

/// The fields of an object; none of another value.
fn fields_of(value: Option<&Value>) -> Option<&[(Rc<str>, Value)]> {
    match value {
        Some(Value::Object(object)) => Some(object.fields()),
        Some(Value::Array(_) | Value::NodeModule | Value::Unknown) => None,
        _ => Some(&[]),
    }
}

fn hooks(fields: &[(Rc<str>, Value)]) -> Option<Vec<String>> {
    let mut hooks = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Unknown => return None,
            value if value.is_function() => hooks.push(name.to_string()),
            _ => {}
        }
    }
    Some(hooks)
}

struct Describer<'s> {
    steps: &'s mut Steps,
    warnings: Vec<String>,
}

impl Describer<'_> {
    fn props(&mut self, declared: &[(Rc<str>, Value)]) -> Option<Vec<RawProp>> {
        let props = declared.iter().map(|(name, declared)| {
            let definition = self.resolve(name, declared)?;
            Some(RawProp {
                name: name.to_string(),
                def: self.definition(&definition)?,
            })
        });
        props.collect()
    }

    /// A declared prop with the fields that it inherits through `propDefinition`.
    fn resolve(&mut self, prop: &str, declared: &Value) -> Option<Value> {
        self.steps.take(1)?;
        let Value::Object(object) = declared else {
            return match declared {
                Value::Array(_) | Value::NodeModule | Value::Unknown => None,
                declared => Some(declared.clone()),
            };
        };
        let reference = match object.get("propDefinition") {
            None | Some(Value::Undefined) => return Some(declared.clone()),
            Some(Value::Array(reference)) => reference,
            Some(_) => return None,
        };
        let mut definition = Object::default();
        match self.inherited(prop, reference.items())? {
            Value::Text(kind) => definition.set(Rc::from("type"), Value::Text(kind))?,
            Value::Object(inherited) => {
                for (name, value) in inherited.fields() {
                    definition.set(Rc::clone(name), value.clone())?;
                }
            }
            // `inherited` is a function in a base, which has no fields.
            _ => return None,
        }
        let own = object.fields().iter();
        for (name, value) in own.filter(|(name, _)| **name != *"propDefinition") {
            definition.set(Rc::clone(name), value.clone())?;
        }
        Some(Value::Object(Rc::new(definition)))
    }

    /// The definition that a reference names, resolved.
    fn inherited(&mut self, prop: &str, reference: &[Value]) -> Option<Value> {
        let [app, Value::Text(name), ..] = reference else {
            return None;
        };
        let definitions = match app {
            Value::Object(_) | Value::StandIn(_) => app.member("propDefinitions")?,
            Value::Undefined | Value::Null => Value::Undefined,
            _ => return None,
        };
        let found = match &definitions {
            Value::Object(_) | Value::StandIn(_) => definitions.member(name)?,
            Value::Undefined | Value::Null => Value::Undefined,
            _ => return None,
        };
        match &found {
            Value::StandIn(_) => Some(any()),
            Value::Text(_) | Value::Object(_) => self.resolve(prop, &found),
            Value::Undefined
            | Value::Null
            | Value::Boolean(_)
            | Value::Number(_)
            | Value::Function => {
                self.warnings
                    .push(format!("prop {prop}: {}", nothing_named(app, name)?));
                Some(any())
            }
            _ => None,
        }
    }

    /// A definition as JSON. A function becomes `{"$function": true}`, and stand-ins are left out.
    fn definition(&mut self, definition: &Value) -> Option<Json> {
        let Value::Object(object) = definition else {
            if definition.is_stand_in() {
                return Some(json!({ "type": "any" }));
            }
            return self.plain(definition).map(Option::unwrap_or_default);
        };
        let mut row = Map::new();
        for (field, value) in object.fields() {
            if matches!(&**field, "methods" | "propDefinitions") || value.is_stand_in() {
                continue;
            }
            let described = if value.is_function() {
                json!({ "$function": true })
            } else {
                self.plain(value)?.unwrap_or_default()
            };
            if !described.is_null() {
                row.insert(field.to_string(), described);
            }
        }
        Some(Json::Object(row))
    }

    /// The JSON of a value; `Some(None)` if it has none.
    #[expect(
        clippy::option_option,
        reason = "an unknown value is not one without JSON"
    )]
    fn plain(&mut self, value: &Value) -> Option<Option<Json>> {
        self.steps.take(1)?;
        Some(Some(match value {
            Value::Undefined
            | Value::Function
            | Value::Class
            | Value::Identity
            | Value::StandIn(_) => return Some(None),
            Value::Null => Json::Null,
            Value::Boolean(value) => Json::Bool(*value),
            Value::Number(number) => number_as_json(*number)?,
            Value::Text(text) => {
                self.steps.take(text.len() / 16)?;
                Json::from(&**text)
            }
            Value::Array(array) => {
                let items = array.items().iter();
                let items = items.map(|item| self.plain(item).map(Option::unwrap_or_default));
                Json::Array(items.collect::<Option<_>>()?)
            }
            Value::Object(object) => {
                let mut fields = Map::new();
                for (name, value) in object.fields() {
                    if let Some(value) = self.plain(value)? {
                        fields.insert(name.to_string(), value);
                    }
                }
                Json::Object(fields)
            }
            Value::NodeModule | Value::Unknown => return None,
        }))
    }
}

fn any() -> Value {
    let mut object = Object::default();
    // A field of this name can always be set.
    let _ = object.set(Rc::from("type"), Value::text("any"));
    Value::Object(Rc::new(object))
}

fn nothing_named(app: &Value, name: &str) -> Option<String> {
    let Value::Object(app) = app else {
        return Some("its propDefinition names no app".to_owned());
    };
    let app = match app.get("app") {
        None | Some(Value::Undefined) => "undefined",
        Some(Value::Text(app)) => app,
        Some(_) => return None,
    };
    Some(format!(
        "its propDefinition names \"{name}\", which the app {app} does not define"
    ))
}

fn number_as_json(number: f64) -> Option<Json> {
    if !number.is_finite() {
        return Some(Json::Null);
    }
    match integer(number) {
        Some(integer) => Some(Json::from(integer)),
        None if number.abs() > MAX_INTEGER => None,
        None => Number::from_f64(number).map(Json::Number),
    }
}
