//! The body of every response that is not a success.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_model::{CodeError, PropErrorCode};
use utoipa::ToSchema;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    pub error: String,
    /// All errors of each field, under the name of the field. Errors of prop values are sentences under `configured_props`
    /// and data under `props`. Errors of code are sentences under `component_code` and data under `code`. Errors of a search query
    /// are data under `q`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub details: BTreeMap<String, Vec<ErrorDetail>>,
    /// The log of a component until one of its hooks failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub observations: Option<Vec<Value>>,
}

/// One error of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorDetail {
    Text(String),
    Document(DocumentError),
    Prop(PropError),
    Query(QueryError),
    Code(CodeError),
}

/// An error in a search query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueryError {
    /// The character at which the error is. Counts from 1.
    #[schema(example = 7)]
    pub position: usize,
    #[schema(example = "a value is missing")]
    pub message: String,
}

/// An error in the document of a workflow. An error of a step's prop has `step`, `prop` and `code`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentError {
    /// Counts from 1.
    pub line: u32,
    /// Counts from 1, in characters.
    pub column: u32,
    /// Such as `steps[1].props.url`.
    pub path: String,
    /// Continues after the path: "is required".
    pub message: String,
    /// The name of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub step: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub prop: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code: Option<PropErrorCode>,
}

/// An error of a prop's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PropError {
    /// The name of the prop. Empty when the error is about no single prop.
    #[schema(example = "url")]
    pub prop: String,
    pub code: PropErrorCode,
    /// A whole sentence, the same as under `configured_props`.
    #[schema(example = "url is required")]
    pub message: String,
}

impl From<&sluice_model::PropError> for PropError {
    fn from(error: &sluice_model::PropError) -> Self {
        PropError {
            prop: error.prop.clone(),
            code: error.code,
            message: error.to_string(),
        }
    }
}
