//! The JSON Schema of the values that a component takes, from the declarations of its props.

use serde_json::{Map, Value, json};

use crate::{
    app::ACCOUNT_FIELD,
    prop_def::PropDef,
    prop_type::{PropType, ScalarType},
};

/// Labels of options that a description lists.
const MOST_LABELS: usize = 50;

/// The schema of an object with the values of props. Props in `preset` have a value already, so they are left out, as are those
/// that take none. `takes_others` says whether values of undeclared props are allowed.
pub fn props_schema(props: &[PropDef], preset: &Map<String, Value>, takes_others: bool) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for prop in props {
        if is_left_out(prop) || preset.contains_key(&prop.name) {
            continue;
        }
        if !prop.is_optional() && prop.default_value().is_none() {
            required.push(Value::from(prop.name.as_str()));
        }
        properties.insert(prop.name.clone(), prop_schema(prop));
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema["additionalProperties"] = takes_others.into();
    schema
}

fn is_left_out(prop: &PropDef) -> bool {
    prop.prop_type.takes_no_value() || prop.static_value().is_some() || prop.cannot_be_filled_in()
}

fn prop_schema(prop: &PropDef) -> Value {
    let mut schema = type_schema(prop);
    if let Some(label) = prop.declared().get("label").and_then(Value::as_str) {
        schema.insert("title".to_owned(), label.into());
    }
    let description = description(prop);
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.into());
    }
    if let Some(default) = prop.default_value().filter(|_| !prop.is_secret()) {
        schema.insert("default".to_owned(), default.clone());
    }
    Value::Object(schema)
}

fn type_schema(prop: &PropDef) -> Map<String, Value> {
    let schema = match &prop.prop_type {
        PropType::Array(element) => {
            let mut items = scalar_schema(*element);
            limit(prop, *element == ScalarType::Integer, &mut items);
            json!({ "type": "array", "items": items })
        }
        PropType::App => json!({
            "type": "object",
            "properties": { ACCOUNT_FIELD: { "type": "string", "description": "The id of the account" } },
            "required": [ACCOUNT_FIELD],
        }),
        PropType::DataStore => json!({ "type": "string" }),
        PropType::Timer | PropType::HttpRequest | PropType::Sql => json!({ "type": "object" }),
        scalar => {
            let scalar = scalar_type(scalar);
            let mut schema = scalar_schema(scalar);
            limit(prop, scalar == ScalarType::Integer, &mut schema);
            Value::Object(schema)
        }
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn scalar_type(prop_type: &PropType) -> ScalarType {
    match prop_type {
        PropType::Boolean => ScalarType::Boolean,
        PropType::Integer => ScalarType::Integer,
        PropType::String => ScalarType::String,
        PropType::Object => ScalarType::Object,
        _ => ScalarType::Any,
    }
}

fn scalar_schema(scalar: ScalarType) -> Map<String, Value> {
    let name = match scalar {
        ScalarType::Boolean => "boolean",
        ScalarType::Integer => "integer",
        ScalarType::String => "string",
        ScalarType::Object => "object",
        // Any value.
        ScalarType::Any => return Map::new(),
    };
    Map::from_iter([("type".to_owned(), Value::from(name))])
}

fn limit(prop: &PropDef, is_integer: bool, schema: &mut Map<String, Value>) {
    if is_integer {
        for (name, bound) in [("minimum", prop.min()), ("maximum", prop.max())] {
            schema.extend(bound.map(|bound| (name.to_owned(), Value::from(bound))));
        }
    }
    if let Some(options) = prop.options() {
        let options = options.into_iter().cloned();
        schema.insert("enum".to_owned(), options.collect());
    }
}

/// The declared description, and what the schema itself cannot say.
fn description(prop: &PropDef) -> String {
    let mut sentences = Vec::new();
    let declared = prop.declared();
    if let Some(text) = declared.get("description").and_then(Value::as_str) {
        sentences.push(text.to_owned());
    }
    if let Some(app) = prop.app() {
        sentences.push(format!("The account of {app} to use."));
    }
    if declared.get("remoteOptions") == Some(&Value::Bool(true)) {
        sentences.push("The allowed values depend on the account and on other values.".to_owned());
    }
    let labels = labels(prop);
    if !labels.is_empty() {
        sentences.push(format!("Options: {}.", labels.join(", ")));
    }
    sentences.join(" ")
}

/// Options whose labels say more than their values.
fn labels(prop: &PropDef) -> Vec<String> {
    let options = prop.declared().get("options").and_then(Value::as_array);
    let label = |option: &Value| {
        let (label, value) = (option.get("label")?.as_str()?, option.get("value")?);
        (value.as_str() != Some(label)).then(|| format!("{value} ({label})"))
    };
    let labels = options.into_iter().flatten().filter_map(label);
    labels.take(MOST_LABELS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prop(name: &str, def: Value) -> PropDef {
        PropDef::from_declaration(name, def).unwrap()
    }

    fn schema(props: &[PropDef]) -> Value {
        props_schema(props, &Map::new(), false)
    }

    #[test]
    fn types_bounds_options_and_texts_are_in_the_schema() {
        let props = [
            prop(
                "url",
                json!({ "type": "string", "label": "URL", "description": "Where to." }),
            ),
            prop(
                "count",
                json!({ "type": "integer", "min": 1, "max": 9, "default": 3 }),
            ),
            prop(
                "tags",
                json!({ "type": "string[]", "options": ["a", "b"], "optional": true }),
            ),
            prop(
                "level",
                json!({ "type": "string", "options": [{ "label": "Low", "value": "l" }] }),
            ),
            prop("any", json!({ "type": "any", "optional": true })),
        ];
        assert_eq!(
            schema(&props),
            json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "title": "URL", "description": "Where to." },
                    "count": { "type": "integer", "minimum": 1, "maximum": 9, "default": 3 },
                    "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] } },
                    "level": { "type": "string", "enum": ["l"], "description": "Options: \"l\" (Low)." },
                    "any": {},
                },
                "required": ["url", "level"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn apps_take_an_account() {
        let schema = schema(&[prop("slack", json!({ "type": "app", "app": "slack" }))]);
        let slack = &schema["properties"]["slack"];
        assert_eq!(slack["required"], json!(["authProvisionId"]));
        assert_eq!(slack["description"], "The account of slack to use.");
    }

    #[test]
    fn props_without_a_value_to_give_are_left_out() {
        let props = [
            prop("db", json!("$.service.db")),
            prop("info", json!({ "type": "alert" })),
            prop("fixed", json!({ "type": "string", "static": "x" })),
            prop("preset", json!("string")),
            prop(
                "secret",
                json!({ "type": "string", "secret": true, "default": "s" }),
            ),
        ];
        let preset = Map::from_iter([("preset".to_owned(), json!(1))]);
        let schema = props_schema(&props, &preset, true);
        assert_eq!(
            schema["properties"],
            json!({ "secret": { "type": "string" } })
        );
        assert_eq!(schema["additionalProperties"], true);
    }
}
