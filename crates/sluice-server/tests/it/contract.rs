//! Compares the responses that tests get with the `OpenAPI` document. Fields that it lacks fail, too, and so do undocumented
//! statuses.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use sluice_testkit::{Answer, Method, SentRequest};

const METHOD_NOT_ALLOWED: u16 = 405;
const JSON: &str = "application/json";
const SCHEMAS: &str = "#/components/schemas/";

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::new);

/// Panics if the response is not what the document says. Requests outside the document are not checked.
pub(crate) fn check(request: &SentRequest, answer: &Answer) {
    let url = &request.url;
    let Some(at) = url.find("/v1/") else { return };
    let (path, query) = url[at..].split_once('?').unwrap_or((&url[at..], ""));
    let Some(operation) = CONTRACT.operation(&request.method, path) else {
        return;
    };
    if answer.status == METHOD_NOT_ALLOWED {
        return;
    }
    let status = answer.status.to_string();
    let Some(response) = operation["responses"].get(&status) else {
        panic!("{request}: the document lacks the status {status}");
    };
    let Some(schema) = CONTRACT.resolved(response)["content"][JSON].get("schema") else {
        return;
    };
    // A selection of fields may lack those that are required.
    if answer.status < 300 && selects_fields(query, request.body.as_ref()) {
        return;
    }
    let errors: Vec<String> = CONTRACT
        .validator(schema)
        .iter_errors(&answer.body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{request}: the response does not match {schema}:\n{}\n{}",
        errors.join("\n"),
        answer.text
    );
}

fn selects_fields(query: &str, body: Option<&Value>) -> bool {
    ["include", "exclude"].iter().any(|name| {
        let in_query = query
            .split('&')
            .any(|pair| pair.split('=').next() == Some(name));
        in_query || body.is_some_and(|body| body.get(name).is_some())
    })
}

struct Contract {
    document: Value,
    /// The schemas, closed for fields that they do not name.
    schemas: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Contract {
    fn new() -> Self {
        // Another test compares the file with the API. Reading it takes less time than writing it.
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
        let text = fs::read(file).expect("the document is in the repository");
        let document: Value = serde_json::from_slice(&text).expect("it is JSON");
        let mut schemas = document["components"]["schemas"].clone();
        close(&mut schemas);
        Contract {
            document,
            schemas,
            validators: Mutex::default(),
        }
    }

    /// The operation of a request. Of several paths that match, the one with the fewest variable segments.
    fn operation(&self, method: &Method, path: &str) -> Option<&Value> {
        let paths = self.document["paths"].as_object()?.iter();
        let matching = paths.filter(|(template, _)| matches(template, path));
        let (_, methods) = matching.min_by_key(|(template, _)| template.matches('{').count())?;
        methods.get(method.as_str().to_lowercase())
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let reference = value.get("$ref").and_then(Value::as_str);
        let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
        pointer
            .and_then(|pointer| self.document.pointer(pointer))
            .unwrap_or(value)
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut whole = schema.clone();
            whole["components"] = json!({ "schemas": self.used_by(schema) });
            let validator = jsonschema::draft202012::new(&whole);
            Arc::new(validator.unwrap_or_else(|error| panic!("{schema}: {error}")))
        };
        Arc::clone(validators.entry(schema.to_string()).or_insert_with(make))
    }

    /// The schemas that a schema refers to, directly or through others. A validator of all of them takes long to make.
    fn used_by(&self, schema: &Value) -> Map<String, Value> {
        let mut used = Map::new();
        let mut names = references(schema);
        while let Some(name) = names.pop() {
            if !used.contains_key(&name) {
                let schema = &self.schemas[&name];
                names.extend(references(schema));
                used.insert(name, schema.clone());
            }
        }
        used
    }
}

/// The names of the schemas that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let reference = fields.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|reference| reference.strip_prefix(SCHEMAS));
            let inner = fields.values().flat_map(references);
            name.map(str::to_owned).into_iter().chain(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given => {}
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() => {}
            _ => return false,
        }
    }
}

/// Rejects other fields than those that a schema names. Schemas that others extend stay open.
fn close(schemas: &mut Value) {
    let mut extended = HashSet::new();
    collect_extended(schemas, &mut extended);
    for (name, schema) in schemas.as_object_mut().into_iter().flatten() {
        close_schema(schema, extended.contains(name));
    }
}

fn close_schema(schema: &mut Value, stays_open: bool) {
    let has_properties = schema.get("properties").is_some();
    if has_properties && !stays_open && schema.get("additionalProperties").is_none() {
        schema["additionalProperties"] = json!(false);
    }
    if schema.get("allOf").is_some() {
        schema["unevaluatedProperties"] = json!(false);
    }
    for keyword in ["properties", "oneOf", "anyOf", "items"] {
        let inner = match schema.get_mut(keyword) {
            Some(Value::Object(map)) if keyword == "properties" => map.values_mut().collect(),
            Some(Value::Array(list)) => list.iter_mut().collect(),
            Some(items) => vec![items],
            None => Vec::new(),
        };
        for schema in inner {
            close_schema(schema, false);
        }
    }
}

fn collect_extended(value: &Value, extended: &mut HashSet<String>) {
    match value {
        Value::Object(map) => {
            let parts = map.get("allOf").and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                let reference = part["$ref"].as_str().unwrap_or_default();
                extended.extend(reference.rsplit('/').next().map(str::to_owned));
            }
            map.values()
                .for_each(|value| collect_extended(value, extended));
        }
        Value::Array(list) => list
            .iter()
            .for_each(|value| collect_extended(value, extended)),
        _ => {}
    }
}
