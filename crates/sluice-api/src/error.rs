//! The body of every response that is not a success.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What is wrong with a request, in words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    pub error: String,
    /// Every fault of a field, under the field's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub details: BTreeMap<String, Vec<Fault>>,
    /// What a component reported before one of its hooks failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations: Option<Vec<Value>>,
}

/// One thing that is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Fault {
    Text(String),
    /// In a document, with its place there; both count from 1.
    InDocument {
        line: u32,
        column: u32,
        /// Such as `steps[1].props.url`.
        path: String,
        message: String,
    },
}
