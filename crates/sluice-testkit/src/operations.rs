//! The operations of the API, as its document lists them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::Api;

/// The document of the API, `/openapi.json`.
pub async fn api_document(api: &Api) -> Value {
    let answer = api.root(Method::GET, "/openapi.json").send().await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    answer.expect(200)
}

/// Every method and path of the document.
pub fn routes(document: &Value) -> Vec<(String, String)> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().expect("methods").keys();
        methods
            .map(|method| (method.to_uppercase(), path.clone()))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

/// Every method and path, with names of nothing in place of the variable parts.
pub async fn operations(api: &Api) -> Vec<(String, String)> {
    filled(routes(&api_document(api).await))
}

/// The operations that need a key.
pub async fn guarded_operations(api: &Api) -> Vec<(String, String)> {
    let document = api_document(api).await;
    let mut guarded = routes(&document);
    guarded.retain(|(method, path)| {
        let operation = &document["paths"][path][method.to_lowercase()];
        operation["security"] != json!([])
    });
    filled(guarded)
}

fn filled(routes: Vec<(String, String)>) -> Vec<(String, String)> {
    let filled = |path: &str| {
        path.replace("{id}", "dc_unknown")
            .replace("{key_or_id}", "unknown")
            .replace("{id_or_slug}", "unknown")
            .replace("{key}", "unknown")
            .replace("{name}", "unknown")
            .replace("{number}", "1")
            .replace("{run_id}", "unknown")
            .replace("{event_id}", "1-0")
    };
    routes
        .into_iter()
        .map(|(method, path)| (method, filled(&path)))
        .collect()
}
