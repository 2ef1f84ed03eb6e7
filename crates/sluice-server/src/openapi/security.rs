//! The key that each operation needs, from the table of scopes.

use serde_json::{Value, json};

use super::operations::operations;
use crate::scopes;

/// The name of the security scheme.
pub(super) const SCHEME: &str = "api_key";

pub(super) fn add(document: &mut Value) {
    for (method, path, operation) in operations(document) {
        // Since version 3.1 the requirement of a bearer key may list roles.
        operation["security"] = match scopes::roles(&method, path) {
            None => json!([]),
            Some(roles) => json!([{ SCHEME: roles }]),
        };
    }
}
