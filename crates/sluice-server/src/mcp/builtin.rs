//! The tools of the server itself. Each is one request of the API: `tools.json` describes them.

use std::sync::{Arc, LazyLock};

use http::Method;
use rmcp::model::{Tool, ToolAnnotations};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value, json};
use sluice_model::{Scope, Scopes};

/// A tool and its request.
#[derive(Deserialize)]
pub(super) struct Builtin {
    pub(super) name: String,
    title: String,
    description: String,
    #[serde(deserialize_with = "method")]
    pub(super) method: Method,
    /// Arguments replace the variables of the path. The others are in the query, or the body of POST and PUT.
    pub(super) path: String,
    #[serde(deserialize_with = "scope")]
    pub(super) scope: Scope,
    #[serde(default)]
    destructive: bool,
    properties: Map<String, Value>,
    required: Vec<String>,
}

static ALL: LazyLock<Vec<Builtin>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools.json")).unwrap_or_default());

pub(super) fn all() -> impl Iterator<Item = &'static Builtin> {
    ALL.iter()
}

pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    all().find(|tool| tool.name == name)
}

impl Builtin {
    pub(super) fn to_tool(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        });
        let is_read = self.method == Method::GET;
        let hints = ToolAnnotations::from_raw(
            Some(self.title.clone()),
            Some(is_read),
            Some(self.destructive),
            None,
            None,
        );
        tool(self.name.clone(), self.description.clone(), schema)
            .with_title(self.title.clone())
            .with_annotations(hints)
    }
}

/// A tool whose schema is an object.
pub(super) fn tool(name: String, description: String, schema: Value) -> Tool {
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    Tool::new(name, description, Arc::new(schema))
}

fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
    let name = String::deserialize(deserializer)?;
    Method::from_bytes(name.as_bytes()).map_err(D::Error::custom)
}

fn scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scope, D::Error> {
    let name = String::deserialize(deserializer)?;
    let scopes = Scopes::parse(&name).ok_or_else(|| D::Error::custom("an unknown scope"))?;
    let scope = scopes.iter().next();
    scope.ok_or_else(|| D::Error::custom("no scope"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::scopes;

    /// Names of the parameters of an operation, and of the fields of its body.
    fn parameters(document: &Value, operation: &Value) -> HashSet<String> {
        let listed = operation["parameters"].as_array().into_iter().flatten();
        let mut names: HashSet<String> = listed
            .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
            .collect();
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        if let Some(body) = body.as_str() {
            let schema = document.pointer(body.strip_prefix('#').unwrap()).unwrap();
            names.extend(schema["properties"].as_object().unwrap().keys().cloned());
        }
        names
    }

    #[test]
    fn every_tool_is_a_request_of_the_api_with_its_scope_and_parameters() {
        let document = serde_json::to_value(crate::openapi()).unwrap();
        assert!(all().count() > 20);
        for tool in all() {
            let method = tool.method.as_str().to_lowercase();
            let operation = &document["paths"][&tool.path][&method];
            assert!(operation.is_object(), "{} {}", tool.method, tool.path);
            let known = parameters(&document, operation);
            for name in tool.properties.keys().chain(&tool.required) {
                assert!(known.contains(name), "{}: {name}", tool.name);
                assert!(tool.properties.contains_key(name), "{}: {name}", tool.name);
            }
            for variable in tool.path.split('{').skip(1) {
                let name = variable.split('}').next().unwrap().to_owned();
                assert!(tool.required.contains(&name), "{}: {name}", tool.name);
            }
            let only = Scopes::from_iter([tool.scope]);
            assert!(
                scopes::allows(&tool.method, &tool.path, only),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn the_page_about_agents_names_each_tool() {
        let page = include_str!("../../../../docs/guide/mcp.md");
        for tool in all() {
            let name = tool.name.trim_start_matches("sluice_");
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn names_are_distinct_and_have_the_reserved_beginning() {
        let names: HashSet<&str> = all().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.len(), all().count());
        assert!(names.iter().all(|name| name.starts_with("sluice_")));
    }
}
