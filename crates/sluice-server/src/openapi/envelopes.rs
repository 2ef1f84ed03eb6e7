//! The schemas around a resource or a page of them. The generator names them after their type parameter and repeats its schema
//! inside them. Here they get a readable name and refer to that schema, so that generated clients have one type for each resource.

use serde_json::{Map, Value, json};

const SCHEMA: &str = "#/components/schemas/";

/// Renames all envelopes, and lets them refer to their resource.
pub(super) fn refer(document: &mut Value) {
    let Some(schemas) = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    *schemas = std::mem::take(schemas)
        .into_iter()
        .map(|(name, schema)| match Envelope::parse(&name) {
            Some(envelope) => (envelope.name(), envelope.schema()),
            None => (name, schema),
        })
        .collect::<Map<_, _>>();
    schemas.sort_keys();
    rename_references(document);
}

/// What an envelope has inside, by the name of its schema.
enum Envelope<'a> {
    One(&'a str),
    All(&'a str),
    Page(&'a str),
}

impl<'a> Envelope<'a> {
    fn parse(generated: &'a str) -> Option<Self> {
        if let Some(resource) = generated.strip_prefix("Data_Vec_") {
            Some(Envelope::All(resource))
        } else if let Some(resource) = generated.strip_prefix("Data_") {
            Some(Envelope::One(resource))
        } else {
            generated.strip_prefix("List_").map(Envelope::Page)
        }
    }

    fn name(&self) -> String {
        match self {
            Envelope::One(resource) => format!("{resource}Response"),
            Envelope::All(resource) => format!("{resource}List"),
            Envelope::Page(resource) => format!("{resource}Page"),
        }
    }

    fn schema(&self) -> Value {
        match self {
            Envelope::One(resource) => json!({
                "type": "object",
                "description": "One resource.",
                "required": ["data"],
                "properties": { "data": one(resource) },
            }),
            Envelope::All(resource) => json!({
                "type": "object",
                "description": "A whole list.",
                "required": ["data"],
                "properties": { "data": all(resource) },
            }),
            Envelope::Page(resource) => json!({
                "type": "object",
                "description": "A page of a list.",
                "required": ["page_info", "data"],
                "properties": { "data": all(resource), "page_info": one("PageInfo") },
            }),
        }
    }
}

fn one(resource: &str) -> Value {
    json!({ "$ref": format!("{SCHEMA}{resource}") })
}

fn all(resource: &str) -> Value {
    json!({ "type": "array", "items": one(resource) })
}

fn rename_references(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && let Some(envelope) = reference.strip_prefix(SCHEMA).and_then(Envelope::parse)
            {
                *reference = format!("{SCHEMA}{}", envelope.name());
            }
            map.values_mut().for_each(rename_references);
        }
        Value::Array(list) => list.iter_mut().for_each(rename_references),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_refer_to_their_resource_and_are_named_after_it() {
        let mut document = json!({
            "paths": { "$ref": "#/components/schemas/List_Source" },
            "components": { "schemas": {
                "Data_Source": { "properties": { "data": { "description": "A copy" } } },
                "Data_Vec_Import": {}, "List_Source": {}, "Source": { "type": "object" },
            } },
        });
        refer(&mut document);
        assert_eq!(document["paths"]["$ref"], "#/components/schemas/SourcePage");
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let names: Vec<_> = schemas.keys().collect();
        assert_eq!(
            names,
            ["ImportList", "Source", "SourcePage", "SourceResponse"]
        );
        let data = |name: &str| &schemas[name]["properties"]["data"];
        assert_eq!(
            *data("SourceResponse"),
            json!({ "$ref": "#/components/schemas/Source" })
        );
        assert_eq!(
            data("ImportList")["items"]["$ref"],
            "#/components/schemas/Import"
        );
    }
}
