//! Objects with any fields. The generator leaves open whether an object without properties may have some, and tools then differ.

use serde_json::{Value, json};

/// Says of every object without properties that it may have any.
pub(super) fn open(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let is_object = map.get("type").is_some_and(names_object);
            let is_free = ["properties", "additionalProperties"]
                .iter()
                .all(|keyword| !map.contains_key(*keyword));
            if is_object && is_free {
                map.insert("additionalProperties".to_owned(), json!(true));
            }
            map.values_mut().for_each(open);
        }
        Value::Array(list) => list.iter_mut().for_each(open),
        _ => {}
    }
}

/// Whether a `type` is `object`, alone or beside others.
fn names_object(of_type: &Value) -> bool {
    match of_type {
        Value::String(name) => name == "object",
        Value::Array(names) => names.iter().any(|name| name == "object"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_without_properties_are_opened() {
        let mut schema = json!({
            "properties": {
                "free": { "type": ["object", "null"] },
                "map": { "type": "object", "additionalProperties": { "type": "string" } },
                "type": { "type": "string" },
            },
            "type": "object",
        });
        open(&mut schema);
        let properties = &schema["properties"];
        assert_eq!(properties["free"]["additionalProperties"], true);
        assert_eq!(properties["map"]["additionalProperties"]["type"], "string");
        assert!(schema.get("additionalProperties").is_none());
        assert!(properties.get("additionalProperties").is_none());
    }
}
