//! The declaration of one prop: a row of `configurable_props`.
//!
//! A row is the name, the type, and the other declared fields in their order. Code in a declaration (methods, app
//! definitions) is left out; `options` as a method becomes `remoteOptions`.

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use crate::{json_value::whole_number, prop_type::PropType};

/// Fields of a declaration that are written elsewhere in the row or are code.
const NOT_IN_ROW: [&str; 5] = [
    "name",
    "type",
    "propDefinition",
    "propDefinitions",
    "methods",
];

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct PropDef {
    pub name: String,
    pub prop_type: PropType,
    declared: Map<String, Value>,
}

impl PropDef {
    /// Reads a declaration: the name of a type, or an object. The errors continue after "prop <name>: ".
    pub fn from_declaration(name: &str, def: Value) -> Result<PropDef, Vec<String>> {
        let (type_name, fields) = match def {
            Value::String(type_name) => (Value::String(type_name), Map::new()),
            Value::Object(fields) => (fields.get("type").cloned().unwrap_or_default(), fields),
            _ => return Err(vec!["must be a type or an object".to_owned()]),
        };
        let mut errors = Vec::new();
        let prop_type = parse_type(&type_name)
            .map_err(|error| errors.push(error))
            .ok();
        let mut declared = Map::new();
        for (key, value) in fields {
            match row_field(key, value) {
                Ok(field) => declared.extend(field),
                Err(error) => errors.push(error),
            }
        }
        let names_app = |app: &Value| app.as_str().is_some_and(|app| !app.is_empty());
        if prop_type == Some(PropType::App) && !declared.get("app").is_some_and(names_app) {
            errors.push("must name its app, such as app: \"slack\"".to_owned());
        }
        match prop_type {
            Some(prop_type) if errors.is_empty() => Ok(PropDef {
                name: name.to_owned(),
                prop_type,
                declared,
            }),
            _ => Err(errors),
        }
    }

    pub fn is_optional(&self) -> bool {
        self.is_set("optional")
    }

    /// Whether its value is hidden and encrypted. Values that the server itself reads never are.
    pub fn is_secret(&self) -> bool {
        let read_here = [PropType::App, PropType::Timer, PropType::DataStore];
        self.is_set("secret") && !read_here.contains(&self.prop_type)
    }

    /// Whether code sees the label of a picked value beside the value.
    pub fn with_label(&self) -> bool {
        self.is_set("withLabel")
    }

    /// Whether a form has no input for it.
    pub fn cannot_be_filled_in(&self) -> bool {
        self.is_set("hidden") || self.is_set("disabled")
    }

    /// Whether an HTTP prop's component answers requests itself.
    pub fn custom_response(&self) -> bool {
        self.is_set("customResponse")
    }

    pub fn default_value(&self) -> Option<&Value> {
        self.declared.get("default")
    }

    /// The fixed value, which users cannot change.
    pub fn static_value(&self) -> Option<&Value> {
        self.declared.get("static")
    }

    /// The slug of the app that an app prop is for.
    pub fn app(&self) -> Option<&str> {
        self.declared.get("app").and_then(Value::as_str)
    }

    pub fn min(&self) -> Option<i64> {
        self.declared.get("min").and_then(Value::as_i64)
    }

    pub fn max(&self) -> Option<i64> {
        self.declared.get("max").and_then(Value::as_i64)
    }

    /// The values to choose from, without their labels. None when any value is allowed, as with an empty list.
    pub fn options(&self) -> Option<Vec<&Value>> {
        let options = self.declared.get("options")?.as_array()?;
        let values = options
            .iter()
            .map(|option| option.get("value").unwrap_or(option));
        (!options.is_empty()).then(|| values.collect())
    }

    /// Everything declared beyond name and type.
    pub fn declared(&self) -> &Map<String, Value> {
        &self.declared
    }

    fn is_set(&self, key: &str) -> bool {
        self.declared.get(key) == Some(&Value::Bool(true))
    }
}

fn parse_type(value: &Value) -> Result<PropType, String> {
    match value {
        Value::String(name) => {
            PropType::parse(name).ok_or_else(|| format!("unknown type {name:?}"))
        }
        Value::Null => Err("type is required".to_owned()),
        _ => Err("type must be a string".to_owned()),
    }
}

/// The field of the row for a declared field, if there is one.
fn row_field(key: String, value: Value) -> Result<Option<(String, Value)>, String> {
    if NOT_IN_ROW.contains(&key.as_str()) || value.is_null() {
        return Ok(None);
    }
    if value.get("$function") == Some(&Value::Bool(true)) {
        return Ok((key == "options").then(|| ("remoteOptions".to_owned(), Value::Bool(true))));
    }
    let value = match key.as_str() {
        "min" => bound(&key, &value, f64::ceil)?,
        "max" => bound(&key, &value, f64::floor)?,
        _ => value,
    };
    Ok(Some((key, value)))
}

/// Clients expect integers as bounds. A fraction is rounded inwards, which allows the same integers.
fn bound(key: &str, value: &Value, inwards: fn(f64) -> f64) -> Result<Value, String> {
    whole_number(value)
        .or_else(|| whole_number(&json!(inwards(value.as_f64()?))))
        .map(Value::from)
        .ok_or_else(|| format!("{key} must be an integer"))
}

impl Serialize for PropDef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(self.declared.len() + 2))?;
        row.serialize_entry("name", &self.name)?;
        row.serialize_entry("type", &self.prop_type)?;
        for (key, value) in &self.declared {
            row.serialize_entry(key, value)?;
        }
        row.end()
    }
}

impl TryFrom<Map<String, Value>> for PropDef {
    type Error = String;

    fn try_from(row: Map<String, Value>) -> Result<Self, String> {
        let name = row
            .get("name")
            .and_then(Value::as_str)
            .ok_or("a prop without a name")?
            .to_owned();
        PropDef::from_declaration(&name, Value::Object(row)).map_err(|errors| errors.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prop(def: Value) -> PropDef {
        PropDef::from_declaration("p", def).unwrap()
    }

    #[test]
    fn a_row_is_what_was_declared_in_its_order() {
        let declared = prop(json!({
            "label": "Count", "type": "integer", "min": 1, "max": 9, "optional": true, "default": 5, "description": null,
            "name": "other", "methods": {}, "hidden": true,
        }));
        let row = r#"{"name":"p","type":"integer","label":"Count","min":1,"max":9,"optional":true,"default":5,"hidden":true}"#;
        assert_eq!(serde_json::to_string(&declared).unwrap(), row);
        assert_eq!(serde_json::from_str::<PropDef>(row).unwrap(), declared);
        assert!(declared.is_optional() && !declared.is_secret());
        assert_eq!((declared.min(), declared.max()), (Some(1), Some(9)));
        assert_eq!(declared.default_value(), Some(&json!(5)));
    }

    #[test]
    fn methods_become_remote_options_or_nothing() {
        let function = json!({"$function": true});
        let declared = prop(json!({"type": "string", "options": function, "default": function}));
        assert_eq!(
            serde_json::to_string(&declared).unwrap(),
            r#"{"name":"p","type":"string","remoteOptions":true}"#
        );
        assert_eq!(declared.options(), None);
        let stored = serde_json::to_string(&declared).unwrap();
        assert_eq!(serde_json::from_str::<PropDef>(&stored).unwrap(), declared);
    }

    #[test]
    fn options_lose_their_labels() {
        let declared =
            prop(json!({"type": "string", "options": ["a", {"label": "B", "value": "b"}]}));
        assert_eq!(declared.options(), Some(vec![&json!("a"), &json!("b")]));
        assert_eq!(
            prop(json!({"type": "string", "options": []})).options(),
            None
        );
    }

    #[test]
    fn an_app_prop_names_its_app() {
        for declared in [
            json!("app"),
            json!({"type": "app"}),
            json!({"type": "app", "app": ""}),
        ] {
            let errors = PropDef::from_declaration("p", declared).unwrap_err();
            assert_eq!(errors, ["must name its app, such as app: \"slack\""]);
        }
        let slack = prop(json!({"type": "app", "app": "slack"}));
        assert_eq!(slack.app(), Some("slack"));
    }

    #[test]
    fn bounds_are_whole() {
        let declared = prop(json!({"type": "integer", "min": 0.5, "max": 9.9}));
        assert_eq!((declared.min(), declared.max()), (Some(1), Some(9)));
        let errors = PropDef::from_declaration("p", json!({"type": "x", "min": "1", "max": []}))
            .unwrap_err();
        assert_eq!(
            errors,
            [
                "unknown type \"x\"",
                "min must be an integer",
                "max must be an integer"
            ]
        );
    }

    #[test]
    fn a_stored_row_without_name_or_type_is_rejected() {
        assert!(serde_json::from_value::<PropDef>(json!({"type": "string"})).is_err());
        assert!(serde_json::from_value::<PropDef>(json!({"name": "a"})).is_err());
    }
}
