//! The operations of the generated document.

use serde_json::Value;

/// The operations of a document, with their method in upper case and their path.
pub(super) fn operations(document: &mut Value) -> impl Iterator<Item = (String, &str, &mut Value)> {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object_mut().into_iter().flatten();
        methods.map(|(method, operation)| (method.to_uppercase(), path.as_str(), operation))
    })
}
